import { render } from 'preact';
import { followShortcuts } from './elements/shortcuts.js';
import { findKey } from './surface/key.js';
import { App } from './views/shell/app.js';
import './main.css';

void findKey();
// A new link can be opened in the same tab.
window.addEventListener('hashchange', () => location.hash.startsWith('#code=') && findKey());
followShortcuts(document);

const root = document.getElementById('workbench');
if (root !== null) render(<App />, root);
