// Where the list of pages is wider than a phone, shows which one this is.
"use strict";
document.querySelector("nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "center" });
