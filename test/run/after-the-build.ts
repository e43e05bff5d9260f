import { shared } from './shared.js';

// The exhaustive and nightly tests find the package in `dist/`, built from these sources, with its types.
await shared('typedBuild');
