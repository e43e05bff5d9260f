import { render } from 'preact';
import { App } from './views/shell/app.js';
import './main.css';

const root = document.getElementById('workbench');
if (root !== null) render(<App />, root);
