import { shared } from './shared.js';

// The tests in `test/compat` import frameworks that the root installs without.
await shared('frameworks');
