import { otherDeployments, testEnds, testLateRefusals, testSpecGaps } from './matrices.js';

testSpecGaps(otherDeployments);
testLateRefusals([0, 1, 2, 3, 4, 5, 6]);
// Every eleventh request of about a hundred, so that the end comes in each part of a run.
testEnds(Array.from({ length: 9 }, (_, index) => 2 + index * 11));
