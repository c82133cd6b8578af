// The colours and the menu, which are there before any module is; so this is none.
const THEME = "hoptrail-theme";

function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

applyTheme(localStorage.getItem(THEME));

/** Open or close the menu of a narrow window. */
function showMenu(isOpen) {
  document.body.classList.toggle("menu", isOpen);
  document.getElementById("menu").setAttribute("aria-expanded", String(isOpen));
}

document.addEventListener("click", (event) => {
  if (event.target.id === "menu") showMenu(!document.body.classList.contains("menu"));
});
addEventListener("hashchange", () => showMenu(false));
