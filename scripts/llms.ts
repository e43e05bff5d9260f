import { readFile, writeFile } from 'node:fs/promises';
import { readGuides } from './guides.js';
import { llmsFull, llmsIndex } from './package/llms.js';

/** Writes the files for coding agents, which are made from the guides at each build and are not committed. */
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const guides = readGuides();

await writeFile('llms.txt', llmsIndex(manifest, guides));
await writeFile('llms-full.txt', llmsFull(manifest.name, guides));
