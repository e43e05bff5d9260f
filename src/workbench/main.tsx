import { render } from 'preact';
import './main.css';
import { App } from './views/shell/app.js';

const root = document.getElementById('workbench');
if (root !== null) render(<App />, root);
