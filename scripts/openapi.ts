import { openApiDocument } from '../src/contract/openapi.js';
import { writeGenerated } from './generated-files.js';

/** With a line for each path and each schema. Indentation would be half of the file, which is in the package. */
const text = JSON.stringify(openApiDocument(), null, 1).replaceAll(/\n {3,}/g, '');

await writeGenerated({ 'openapi.json': `${text}\n` }, 'npm run openapi');
