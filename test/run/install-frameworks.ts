/**
 * Installs the frameworks, test runners and compilers of `test/compat/package.json`, if they are not there. A run of the tests
 * that need them does so itself; this is for the compiler, and for a machine that has no network later.
 */
import { installFrameworks } from './frameworks.js';

const { folder } = await installFrameworks();
process.stdout.write(`The packages of ${folder}/package.json are installed.\n`);
