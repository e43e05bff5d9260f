import { stagePackage } from './stage.js';

const folder = '.cache/package'; // as `publishConfig` in package.json has it

await stagePackage(folder);
process.stdout.write(`${folder} holds what npm run release publishes\n`);
