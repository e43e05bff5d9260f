import { compareWithPlainNode } from './compare-with-plain-node.js';
import { furtherEnvironments } from './environments.js';

compareWithPlainNode(furtherEnvironments);
