/**
 * Which other users of the machine may read, change or replace a file, by its mode bits (POSIX.1 chmod).
 *
 * An access list shows in the bits of the group (acl(5): they are the mask). Windows has access lists alone, which Node
 * does not read: there every file passes.
 */
import { realpathSync, statSync, type Stats } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { nearestDirectory } from './directory.ts'

const [READ_BY_OTHERS, READ_BY_ALL, WRITE_BY_OTHERS, WRITE_BY_ALL, STICKY] = [0o044, 0o004, 0o022, 0o002, 0o1000]
const [ENTER_BY_OTHERS, ENTER_BY_ALL] = [0o055, 0o005]
const ON_WINDOWS = process.platform === 'win32'

function modeText({ mode }: Stats): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

/** `mode 0644 lets other users read it`; undefined where the owner alone may. Follows links. Throws the system's error. */
export function exposureOf(path: string): string | undefined {
  return exposure(statSync(path), READ_BY_OTHERS, WRITE_BY_OTHERS)
}

/**
 * The same for a key that another program made: its own group may read it, as that of Debian's /etc/ssl/private may,
 * where it belongs to another user.
 */
export function keyExposureOf(path: string): string | undefined {
  const stats = statSync(path)
  if (stats.uid === process.getuid?.()) return exposure(stats, READ_BY_OTHERS, WRITE_BY_OTHERS)
  return exposure(stats, READ_BY_ALL, WRITE_BY_OTHERS)
}

/** `mode 0664 lets other users change it`; undefined where only the owner may change it. */
export function changeExposureOf(path: string): string | undefined {
  const stats = statSync(path)
  return exposure(stats, 0, hasOwnGroup(stats) ? WRITE_BY_ALL : WRITE_BY_OTHERS)
}

/** `mode 0666 lets every user change it`; undefined where the owner and the group alone may. */
export function publicChangeOf(path: string): string | undefined {
  const stats = statSync(path)
  if (ON_WINDOWS || !stats.isFile() || (stats.mode & WRITE_BY_ALL) === 0) return undefined
  return `mode ${modeText(stats)} lets every user of this machine change it`
}

function exposure(stats: Stats, readBits: number, writeBits: number): string | undefined {
  const [canRead, canWrite] = [(stats.mode & readBits) !== 0, (stats.mode & writeBits) !== 0]
  if (ON_WINDOWS || (!canRead && !canWrite)) return undefined
  const verbs = canRead && canWrite ? 'read and change' : canRead ? 'read' : 'change'
  return `mode ${modeText(stats)} lets other users ${verbs} it`
}

/** `mode 0755 lets other users into it`: they list it, or open files whose names they know; undefined where they cannot. */
export function entryTo(directory: string): string | undefined {
  const stats = statSync(directory)
  if (ON_WINDOWS || (stats.mode & (hasOwnGroup(stats) ? ENTER_BY_ALL : ENTER_BY_OTHERS)) === 0) return undefined
  return `mode ${modeText(stats)} lets other users into it`
}

/** `mode 0777 of "/srv/data" lets other users replace …: run chmod go-w "/srv/data"`, from "mode" on. */
const replaceable = (path: string, stats: Stats, remedy: string): string =>
  `mode ${modeText(stats)} of "${path}" lets other users replace what is in it: run chmod ${remedy} "${path}"`

/**
 * How other users could put files into a directory, and the remedy; undefined where they cannot. The sticky bit of /tmp
 * changes nothing: a WAL that another user adds beside the database becomes part of it. Throws the system's error.
 */
export function replacementIn(directory: string): string | undefined {
  const stats = statSync(directory, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  if (ON_WINDOWS || (stats.mode & (hasOwnGroup(stats) ? WRITE_BY_ALL : WRITE_BY_OTHERS)) === 0) return undefined
  return replaceable(realpathSync(directory), stats, 'go-w')
}

/**
 * How every user could replace a directory itself, through one above it. Those may be writable by their group, and the
 * sticky bit keeps other users from entries that are not theirs. Throws the system's error.
 */
export function replacementAbove(directory: string): string | undefined {
  let path = realpathSync(nearestDirectory(resolve(directory)))
  while (dirname(path) !== path) {
    path = dirname(path)
    const stats = statSync(path)
    if (!ON_WINDOWS && (stats.mode & WRITE_BY_ALL) !== 0 && (stats.mode & STICKY) === 0) return replaceable(path, stats, 'o-w')
  }
  return undefined
}

/** Many systems give each user a group of its own, with the same number and no other member (umask 002). */
function hasOwnGroup({ uid, gid }: Stats): boolean {
  return uid === gid && uid !== 0
}
