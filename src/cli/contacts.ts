import { Command } from 'commander';
import { contactsImportCommand } from './contacts-import.js';
import type { Terminal } from './terminal.js';

/** `messaging-automation contacts`: commands for contacts. */
export function contactsCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return new Command('contacts')
    .description('import contacts from a file')
    .addCommand(contactsImportCommand(terminal, exitWith));
}
