UPDATE exchanges SET speaker = speaker || '#past' WHERE role = 'user' AND lower(trim(speaker)) IN
  ('user', 'assistant', 'system', 'developer', 'human', 'bot', 'chatbot', 'model', 'agent', 'tool', 'memory', 'note');
UPDATE terms SET speaker = speaker || '#past' WHERE traits % 2 = 0 AND lower(trim(speaker)) IN
  ('user', 'assistant', 'system', 'developer', 'human', 'bot', 'chatbot', 'model', 'agent', 'tool', 'memory', 'note')
