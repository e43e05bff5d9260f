import { deadLinksOfSite } from './dead-links-of-site.js';
import { buildSite } from './site.js';

const folder = 'docs/api';

if (!(await buildSite(folder))) process.exit(1);

const dead = deadLinksOfSite(folder);
for (const { page, link, reason } of dead) console.error(`${page}: ${link} ${reason}`);
if (dead.length > 0) {
  console.error(`${dead.length} dead links in ${folder}.`);
  process.exit(1);
}
console.log(`${folder}/index.html is built, and has no dead link.`);
