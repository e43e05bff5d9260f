#!/usr/bin/env node
// A file of its own: older versions of Node.js cannot even load what the commands import.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  await import('./command-line.js');
} else {
  process.stderr.write(
    `messaging-automation needs Node.js 20.19 or later, and this is ${process.versions.node}.\n`,
  );
  process.exitCode = 1;
}
