// Shows a conversation as it goes on: what is said, answers as they come, questions that want an answer.
"use strict";
(() => {
  const talk = document.querySelector(".talk");
  const thread = document.getElementById("thread");
  const form = document.getElementById("say");
  const text = document.getElementById("text");
  const thinking = document.getElementById("thinking");
  const connection = document.getElementById("connection");
  const token = form.elements.form_token.value;
  const conversation = talk.dataset.conversation;
  // What this script says, in the language of the page.
  const told = talk.dataset;
  const stop = document.getElementById("stop");
  const PAUSE = 3000;
  let beginning = null;

  const making = (on) => { stop.hidden = !on; };

  const atEnd = () => thread.scrollHeight - thread.scrollTop - thread.clientHeight < 160;
  const toEnd = () => { thread.scrollTop = thread.scrollHeight; };

  const element = (name, classes, words) => {
    const made = document.createElement(name);
    if (classes) made.className = classes;
    if (words !== undefined) made.textContent = words;
    return made;
  };

  const post = (path, facts) => fetch(path, {
    method: "POST",
    credentials: "same-origin",
    headers: { "X-Requested-With": "fetch" },
    body: new URLSearchParams({ form_token: token, ...facts }),
  });

  const add = (node) => {
    const follow = atEnd();
    document.getElementById("nothing-yet")?.remove();
    thread.append(node);
    if (follow) toEnd();
    return node;
  };

  const bubble = (kind, speaker) => {
    const made = element("article", "message " + kind);
    const head = element("header");
    head.append(element("span", "speaker", speaker), element("time", "", told.now));
    made.append(head);
    return made;
  };

  const buttons = (actions) => {
    const row = element("footer", "actions");
    for (const action of actions) {
      const pressed = element("button", "quiet", action.label);
      pressed.type = "button";
      pressed.addEventListener("click", () => send(`/${action.command} ${action.argument}`));
      row.append(pressed);
    }
    return row;
  };

  const show = {
    said: (facts) => {
      const made = bubble("theirs", facts.speaker);
      made.append(element("p", "words", facts.text));
      add(made);
      toEnd();
    },
    thinking: (facts) => { thinking.hidden = !facts.on || beginning !== null; making(facts.on || beginning !== null); },
    piece: (facts) => {
      thinking.hidden = true;
      making(true);
      if (!beginning) {
        beginning = bubble("hers coming", "Lyra");
        beginning.append(element("p", "words"));
        add(beginning);
      }
      const follow = atEnd();
      beginning.lastElementChild.textContent += facts.text;
      if (follow) toEnd();
    },
    dropped: () => { beginning?.remove(); beginning = null; making(false); },
    withheld: () => {
      show.dropped();
      add(element("p", "notice-line", told.withheld));
    },
    answer: (facts) => {
      const made = beginning && facts.first ? beginning : bubble("hers", "Lyra");
      made.classList.remove("coming");
      while (made.children.length > 1) made.lastElementChild.remove();
      const words = element("div", "prose");
      words.innerHTML = facts.html;
      made.append(words);
      if (facts.actions.length) made.append(buttons(facts.actions));
      if (made !== beginning) add(made);
      beginning = null;
      thinking.hidden = true;
      making(false);
      toEnd();
    },
    reflection: (facts) => {
      show.answer(facts);
      thread.lastElementChild.classList.add("thought");
    },
    notice: (facts) => {
      const made = element("article", "message notice");
      made.append(element("pre", "", facts.text));
      if (facts.actions.length) made.append(buttons(facts.actions));
      add(made);
      thinking.hidden = true;
      toEnd();
    },
    question: (facts) => {
      if (document.getElementById("q-" + facts.id)) return;
      const made = element("article", "message notice question");
      made.id = "q-" + facts.id;
      made.setAttribute("role", "alertdialog");
      made.append(element("pre", "", facts.text));
      const row = element("footer", "actions");
      for (const [label, yes] of [[told.yes, "yes"], [told.no, "no"]]) {
        const pressed = element("button", yes === "yes" ? "" : "quiet", label);
        pressed.type = "button";
        pressed.addEventListener("click", () => post("/talk/answer", { question: facts.id, yes }));
        row.append(pressed);
      }
      made.append(row);
      add(made);
      toEnd();
      row.lastElementChild.focus();
    },
    settled: (facts) => {
      document.getElementById("q-" + facts.id)?.querySelector(".actions")?.remove();
      text.focus();
    },
    enter: (facts) => { window.location.assign("/talk?" + new URLSearchParams({ in: facts.name })); },
  };

  const say = (words) => { connection.textContent = words; connection.hidden = !words; };

  // What is sent again because no answer came is the same message; what is typed or pressed after an answer is another one.
  const once = form.elements.once;
  const send = async (words) => {
    try {
      const response = await post("/talk", { conversation, text: words, once: once.value });
      if (response.ok) { once.value = crypto.getRandomValues(new Uint32Array(4)).join("-"); say(""); return true; }
      const refused = await response.json().catch(() => ({}));
      say(refused.error || told.missed);
    } catch {
      say(told.unreached);
    }
    return false;
  };

  const fit = () => {
    text.style.height = "auto";
    text.style.height = Math.min(text.scrollHeight + 2, 220) + "px";
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const words = text.value;
    if (!words.trim()) return;
    text.value = "";
    fit();
    if (!(await send(words))) { text.value = words; fit(); }
    text.focus();
  });
  stop.addEventListener("click", () => { making(false); post("/talk/stop", { conversation }); text.focus(); });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      form.requestSubmit();
    }
  });
  text.addEventListener("input", fit);

  // What stands in the form is kept where the browser would drop it.
  const reload = () => {
    sessionStorage.setItem("unsent", text.value);
    window.location.reload();
  };
  text.value ||= sessionStorage.getItem("unsent") ?? "";
  sessionStorage.removeItem("unsent");

  let lost = false;
  const listen = () => {
    const stream = new EventSource("/talk/stream?" + new URLSearchParams({ in: conversation }));
    for (const [kind, shown] of Object.entries(show)) {
      stream.addEventListener(kind, (event) => shown(JSON.parse(event.data)));
    }
    stream.addEventListener("open", () => {
      talk.dataset.listening = "yes";
      if (lost) reload();
    });
    stream.addEventListener("error", () => {
      lost = true;
      talk.dataset.listening = "no";
      say(told.lost);
      // A refusal, by her or by a proxy while she is away, ends an EventSource for good.
      if (stream.readyState === EventSource.CLOSED) setTimeout(again, PAUSE);
    });
  };
  const again = async () => {
    const found = await fetch(window.location.href, { method: "HEAD" }).catch(() => null);
    if (found?.status === 401) reload();
    else listen();
  };
  listen();
  fit();
  toEnd();
})();
