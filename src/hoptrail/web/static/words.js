// The page's own words in the reader's language; those of documents, answers and the server stay as they are.

const CHOSEN = "hoptrail-language";
const LANGUAGES = { en: "English", de: "Deutsch", fr: "Français" };

/** Code of the language that the page is shown in. */
export const language = [localStorage.getItem(CHOSEN), ...navigator.languages.map((one) => one.split("-")[0])].find((one) => one in LANGUAGES) ?? "en";

let catalogue = {};

/** Load the words, before any module uses them, and put them into what the page has from the start. */
export async function loadWords() {
  document.documentElement.lang = language;
  if (language !== "en") {
    const response = await fetch(new URL(`words.${language}.json`, import.meta.url)).catch(() => null);
    if (response?.ok) catalogue = await response.json();
  }
  for (const element of document.querySelectorAll("[data-words]")) element.textContent = t(element.textContent);
  const choice = document.getElementById("language");
  choice.replaceChildren(...Object.entries(LANGUAGES).map(([code, name]) => new Option(name, code, false, code === language)));
  choice.addEventListener("change", () => {
    localStorage.setItem(CHOSEN, choice.value);
    location.reload();
  });
}

/** A text of the page in its language, with values in place of {0}, {1} and so on. */
export function t(text, ...values) {
  const words = catalogue[text] ?? text;
  return values.length ? words.replace(/\{(\d)\}/g, (_, place) => values[place]) : words;
}
