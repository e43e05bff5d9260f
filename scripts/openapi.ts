import { openApiDocument } from '../src/contract/openapi.js';
import { writeGenerated } from './generated-files.js';

await writeGenerated(
  { 'openapi.json': `${JSON.stringify(openApiDocument(), null, 1)}\n` },
  'npm run openapi',
);
