import { readFile } from 'node:fs/promises';
import { readBundledPackages } from './bundled-packages.js';
import { writeGenerated } from './generated-files.js';
import { softwareBillOfMaterials } from './software-bill-of-materials.js';
import { thirdPartyNotices } from './third-party-notices.js';

const packages = await readBundledPackages();
const own: { name: string; version: string; license: string } = JSON.parse(
  await readFile('package.json', 'utf8'),
);

await writeGenerated(
  {
    'THIRD_PARTY_NOTICES.md': thirdPartyNotices(packages),
    'sbom.cdx.json': softwareBillOfMaterials(own, packages),
  },
  'npm run build && npm run notices',
);
