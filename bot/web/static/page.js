// Where the list of pages is wider than a phone, shows which one this is.
"use strict";
{
  const here = document.querySelector("nav [aria-current]");
  const pages = here?.closest("nav");
  // In Chromium 150 scrollIntoView also moves where Tab goes on from, past what comes before.
  if (pages) pages.scrollLeft += here.getBoundingClientRect().left - pages.getBoundingClientRect().left - (pages.clientWidth - here.offsetWidth) / 2;
}
