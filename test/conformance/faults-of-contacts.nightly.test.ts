import { testFaults } from './matrices.js';
import { faults } from './support/faults.js';

// The faults of the endpoints of contacts. Three files, so that they run side by side.
testFaults(faults.filter(([breaks]) => /^§[2457].*contacts/.test(breaks)));
