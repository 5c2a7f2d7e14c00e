// The scores of Sphinx's search. A name that is searched for in full comes first; of names that are
// equal in their last part, the one with the shortest path: nn.Linear before compat.nn.Linear.
"use strict";

var Scorer = {
  score: ([docname, title, anchor, descr, score, filename, kind]) => {
    if (!docname.startsWith("api/")) return score;
    const isWhole = kind === "object" && score >= Scorer.objNameMatch + Scorer.objPrio[1];
    return score + (isWhole ? 40 : 0) - 0.5 * title.split(".").length;
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
