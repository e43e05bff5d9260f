import { shared } from './shared.js';

// The tests of the exhaustive tier find the package in `dist/`, built from these sources, with its types.
await shared('typedBuild');
