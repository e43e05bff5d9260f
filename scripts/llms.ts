import { readdir, readFile, writeFile } from 'node:fs/promises';
import { readGuides } from './guides.js';
import { llmsIndex } from './package/llms.js';

/** Writes the file for coding agents, which is made from the guides at each build and is not committed. */
const manifest = JSON.parse(await readFile('package.json', 'utf8'));
const guides = readGuides();

await writeFile('llms.txt', llmsIndex(manifest, guides, (await readdir('skills')).toSorted()));
