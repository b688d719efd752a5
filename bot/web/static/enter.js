// Sends the link's word on as soon as a person's browser shows the page.
"use strict";
document.getElementById("enter").requestSubmit();
