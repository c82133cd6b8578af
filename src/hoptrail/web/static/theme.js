// The chosen colours, set before anything is painted; so this is no module.
const THEME = "hoptrail-theme";

function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

applyTheme(localStorage.getItem(THEME));
