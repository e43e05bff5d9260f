const ofUser =
  'This user may not do that. Change the permissions of the folder, or name a file in another folder.';
const ofFolder = 'There is a folder with this name. Name a file in it, or another one.';
const ofRoom =
  'The disk is full, or the quota of this user is used up. Make room. The file is as it was before.';
const ofMount =
  'The file is a mount of its own, as containers can have, so it cannot be replaced as a whole. Mount its folder, and name the file in that.';
const ofLimit = 'Too many files are open. Raise the limit (ulimit -n), or close some.';
const ofDrive = 'The drive or the network fails. Check them.';

/** What to do when the file system refuses something, by the code of its error. */
const advice: ReadonlyMap<unknown, string> = new Map([
  ['ENOENT', 'Its folder does not exist. Create the folder, or name a file in another one.'],
  ['ENOTDIR', 'A part of its path is a file, not a folder. Name another path.'],
  ['ELOOP', 'Its symbolic links lead in a circle. Correct them, or name another file.'],
  ['ENAMETOOLONG', 'Name a shorter path.'],
  [
    'EROFS',
    'The file system is read-only. Mount it so that it can be written, or name a file in another one.',
  ],
  ['EFBIG', 'The file is larger than this process may write (ulimit -f), or than the file system allows.'],
  ['EACCES', ofUser],
  ['EPERM', ofUser],
  ['EISDIR', ofFolder],
  ['ERR_FS_EISDIR', ofFolder],
  ['ENOSPC', ofRoom],
  ['EDQUOT', ofRoom],
  ['EBUSY', ofMount],
  ['EXDEV', ofMount],
  ['EMFILE', ofLimit],
  ['ENFILE', ofLimit],
  ['EIO', ofDrive],
  ['ESTALE', ofDrive],
]);

/** What to do about an error of the file system. Undefined for any other error. */
export function fileAdvice(error: unknown): string | undefined {
  return advice.get(Reflect.get(Object(error), 'code'));
}
