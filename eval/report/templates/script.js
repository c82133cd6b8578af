// Filters the questions by outcome and by words.
const form = document.getElementById("filters");
const search = document.getElementById("search");
const shown = document.getElementById("shown");
const questions = [...document.querySelectorAll("#questions > details")];
const words = new Map();

function textOf(question) {
  if (!words.has(question)) words.set(question, question.textContent.toLowerCase());
  return words.get(question);
}

function isWanted(question, outcome, text) {
  const fits =
    outcome === "all" ||
    (outcome === "flip"
      ? question.hasAttribute("data-flip")
      : question.dataset.outcomes.split(" ").includes(outcome));
  return fits && (text === "" || textOf(question).includes(text));
}

function filter() {
  const outcome = new FormData(form).get("outcome");
  const text = search.value.trim().toLowerCase();
  let count = 0;
  for (const question of questions) {
    question.hidden = !isWanted(question, outcome, text);
    if (!question.hidden) count += 1;
  }
  shown.textContent = `${count} of ${questions.length}`;
}

form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
filter();
