// The beginning: the words first, for the other modules take theirs as they are read.

import { loadWords } from "./words.js";

await loadWords();
await import("./app.js");
