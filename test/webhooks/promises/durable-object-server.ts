/** A Durable Object in a process, over HTTP, with its storage in a file. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { HandledDeliveries } from '../../../examples/dedupe-stores/durable-object.js';
import { objectStorage } from '../../examples/object-storage.js';

const [port, file = ''] = process.argv.slice(2);
const values = new Map<string, unknown>(existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : []);
let passed = 0;
const save = () => {
  writeFileSync(`${file}.new`, JSON.stringify([...values]));
  renameSync(`${file}.new`, file);
};
const object = new HandledDeliveries({ storage: objectStorage(values, save) }, () => Date.now() + passed);

createServer(async (request, response) => {
  const [operation, ...words] = JSON.parse(Buffer.concat(await request.toArray()).toString());
  if (operation === 'pass') passed += Number(words[0]);
  else response.write(JSON.stringify((await Reflect.get(object, operation).apply(object, words)) ?? null));
  response.end();
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
