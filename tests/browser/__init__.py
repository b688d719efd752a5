"""What a person does on the memory page, in a real browser: headless Chromium, driven by Playwright. `make browser` runs it."""
