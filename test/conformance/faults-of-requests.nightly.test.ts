import { testFaults } from './matrices.js';
import { faults } from './support/faults.js';

// The faults of all other endpoints, of keys and of errors. Three files, so that they run side by side.
testFaults(faults.filter(([breaks]) => /^§[2457]/.test(breaks) && !/contacts/.test(breaks)));
