import { Command } from 'commander';
import type { Terminal } from '../terminal/terminal.js';
import { contactsImportCommand } from './contacts-import.js';

/** `messaging-automation contacts`: commands for contacts. */
export function contactsCommand(terminal: Terminal, exitWith: (code: number) => void): Command {
  return new Command('contacts')
    .description('import contacts from a file')
    .addCommand(contactsImportCommand(terminal, exitWith));
}
