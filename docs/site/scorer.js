// The scores of Sphinx's search. A name that is searched for in full comes first; of names that are
// equal in their last part, one of an everyday module, and the one with the shortest path: nn.Linear
// before compat.nn.Linear. Then come pages whose titles have the words.
"use strict";

// Paddle's users type Paddle's names.
const asked = new URLSearchParams(location.search);
const wanted = (asked.get("q") || "").trim().replace(/^paddle\./, "jaxeager.");
if (asked.get("q") && wanted !== asked.get("q")) {
  asked.set("q", wanted);
  history.replaceState(null, "", `?${asked}`);
}

const EVERYDAY = /^jaxeager\.((nn|nn\.functional|optimizer|amp|jit|io|framework\.io|hapi|autograd|metric)\.)?\w+$/;

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    const name = title.toLowerCase(), words = wanted.toLowerCase();
    if (!docname.startsWith("api/")) return name.includes(words) ? score + 20 : score;
    const depth = title.replace("framework.io.", "").split(".").length;  // paddle.load is kept there
    const isWhole = name === words || name.endsWith(`.${words}`);
    return score + (isWhole ? 40 : 0) + (EVERYDAY.test(title) ? 3 : 0) - 0.5 * depth;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
