import { testCuts } from './listen-through-cuts.js';

testCuts([2, 3, 4, 5]);
