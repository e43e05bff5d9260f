import { compareWithPlainNode } from './compare-with-plain-node.js';
import { environments } from './environments.js';

compareWithPlainNode(environments);
