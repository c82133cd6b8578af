// Formulas of an answer, drawn by the browser from the MathML that the server makes of their LaTeX.

import { send } from "./api.js";

const MOST = 100; // as many as the server takes at once

/** Put formulas in place of their LaTeX; what cannot be read stays as it was written. */
export async function draw(elements) {
  const written = [...elements].slice(0, MOST);
  const formulas = written.map((element) => {
    const latex = element.textContent;
    const marks = latex.startsWith("$") && !latex.startsWith("$$") ? 1 : 2;
    return { latex: latex.slice(marks, -marks).trim(), is_block: latex.startsWith("$$") || latex.startsWith("\\[") };
  });
  const response = await send("formulas", { method: "POST", json: { formulas } });
  const drawn = (await response.json()).formulas;
  written.forEach((element, place) => {
    if (drawn[place] === null) return;
    const parsed = new DOMParser().parseFromString(drawn[place], "application/xml").documentElement;
    if (parsed.localName === "math") element.replaceChildren(document.importNode(parsed, true));
    if (element.scrollWidth > element.clientWidth) element.tabIndex = 0; // a wide one is moved by keys too
  });
}
