// Shows what is done as it happens.
"use strict";
(() => {
  const list = document.getElementById("activity");
  const stream = new EventSource("/activity/stream?" + new URLSearchParams({ after: list.dataset.seen }));
  stream.addEventListener("done", (event) => {
    const facts = JSON.parse(event.data);
    document.getElementById("nothing-yet")?.remove();
    const line = document.createElement("li");
    const what = document.createElement("strong");
    what.textContent = facts.what;
    const at = document.createElement("span");
    at.className = "faint";
    at.textContent = facts.at;
    line.append(what, ` ${facts.counts} `, at);
    list.prepend(line);
  });
})();
