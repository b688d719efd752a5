// Shows what is done as it happens.
"use strict";
(() => {
  const list = document.getElementById("activity");
  const PAUSE = 3000;
  let seen = list.dataset.seen;
  const add = (event) => {
    seen = event.lastEventId;
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
  };
  const listen = () => {
    const stream = new EventSource("/activity/stream?" + new URLSearchParams({ after: seen }));
    stream.addEventListener("done", add);
    // A refusal ends an EventSource for good.
    stream.addEventListener("error", () => { if (stream.readyState === EventSource.CLOSED) setTimeout(listen, PAUSE); });
  };
  listen();
})();
