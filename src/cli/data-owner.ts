/**
 * A command that root runs works as the owner of the data directory: files of root would keep the service of another user
 * from its data, and an owner who plants a link there must not make root write elsewhere.
 *
 * The process changes its user for good before the command opens anything, so the files that a command line names are used
 * with the rights of that user too.
 */
import { accessSync, constants, existsSync, lstatSync, statSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, resolve } from 'node:path'
import { systemClock } from '../base/clock.ts'
import { nearestDirectory } from '../base/directory.ts'
import { createLog } from '../base/log.ts'
import { errorCode, systemReason } from '../base/system-error.ts'
import { ConfigError } from '../config/config-error.ts'
import { readConfig } from '../config/read-config.ts'
import { databaseFile, DataDirError } from '../store/db/data-dir.ts'
import { UsageError, type Arguments, type Command, type Terminal } from './command.ts'
import { writesJsonLog } from './serve/service-log.ts'

/** Of Node, and not of its types. */
interface WithGroups {
  initgroups?(user: string, group: number): void
}

type OwnerIds = Pick<Stats, 'uid' | 'gid'>

/**
 * Does nothing where the process may not choose its user, where root owns the directory, and for a command that opens none.
 * Throws DataDirError, and UsageError for a file that the owner may not use.
 */
export function workAsOwner(command: Command, args: Arguments, terminal: Terminal): void {
  const { become } = terminal
  if (become === undefined || !command.settings.includes('dataDir')) return
  const directory = directoryOf(args, terminal)
  if (directory === undefined) return
  const owner = ownerOf(directory)
  if (owner.uid === 0) return
  const files = filesOf(command, args)
  const stray = strayDatabase(directory, owner)
  let name: string
  try {
    name = become(owner)
  } catch (error) {
    throw new DataDirError(
      `Cannot work as user ${owner.uid}, who owns "${directory}": ${systemReason(error)}: run this command as that user`,
      { cause: error },
    )
  }
  tell(`Works as ${name}, the owner of "${directory}", and not as root${stray}`, command, args, terminal)
  requireEntry(directory, name)
  for (const named of files) requireUsable(named, name)
}

/** Undefined where settings cannot be read: the command says why. */
function directoryOf({ settings }: Arguments, { environment }: Terminal): string | undefined {
  try {
    return resolve(readConfig(settings, environment).dataDir)
  } catch (error) {
    if (error instanceof ConfigError) return undefined
    throw error
  }
}

/**
 * The owner of a directory, or of the nearest above one that is missing. A link of another user than root decides itself:
 * that user could let it lead to a directory of root for this moment.
 */
function ownerOf(directory: string): OwnerIds {
  const found = lstatSync(directory, { throwIfNoEntry: false })
  if (found !== undefined && found.uid !== 0) return found
  return statSync(nearestDirectory(directory))
}

/** What an operator has to do where a command as root, of a version before, has left its database. */
function strayDatabase(directory: string, { uid, gid }: OwnerIds): string {
  const database = databaseFile(directory)
  const found = lstatSync(database, { throwIfNoEntry: false })
  if (found === undefined || found.uid === uid) return ''
  return `; but "${database}" belongs to ${found.uid === 0 ? 'root' : `user ${found.uid}`}: run chown -R ${uid}:${gid} "${directory}"`
}

/** Becomes a user for good, with its groups. Returns its name, for messages. Throws the system's error. */
export function becomeUser({ uid, gid }: OwnerIds): string {
  process.seteuid?.(uid)
  const account = accountInUse()
  process.seteuid?.(0)
  // The group of root would open its files.
  const group = account?.gid ?? (gid === 0 ? uid : gid)
  if (account === undefined) process.setgroups?.([group])
  else (process as WithGroups).initgroups?.(account.username, group)
  process.setgid?.(group)
  process.setuid?.(uid)
  return account === undefined ? `user ${uid}` : `user "${account.username}"`
}

/** The entry of the effective user in passwd(5); undefined where there is none, as for most users of containers. */
function accountInUse(): { readonly username: string; readonly gid: number } | undefined {
  try {
    return userInfo()
  } catch {
    return undefined
  }
}

function tell(text: string, command: Command, { settings }: Arguments, terminal: Terminal): void {
  const { stderr } = terminal
  const isLog = command.name === 'serve' && writesJsonLog(readConfig(settings, terminal.environment), terminal)
  if (!isLog) stderr.write(`${text}\n`)
  else createLog({ level: 'info', format: 'json', now: systemClock, write: (line) => void stderr.write(line) }).info('start', { message: text })
}

interface NamedFile {
  readonly file: string
  readonly isRead: boolean
}

/** The files that a command line names beside the settings. Operands are read; of flags, a file that is there is, and another written. */
function filesOf({ operands = [], options }: Command, given: Arguments): readonly NamedFile[] {
  const read = operands.flatMap(({ name }, i) => (name === 'FILE' ? pathsOf(given.operands[i]) : []))
  const named = options.flatMap(({ flag, value }) => (value === 'FILE' ? pathsOf(given.options.get(flag)) : []))
  return [...read.map((file) => ({ file, isRead: true })), ...named.map((file) => ({ file, isRead: existsSync(file) }))]
}

function pathsOf(file = ''): readonly string[] {
  return file === '' || file === '-' ? [] : [resolve(file)]
}

/** To this user a directory that it cannot reach looks like one that is missing. */
function requireEntry(directory: string, name: string): void {
  if (!isDenied(directory, constants.F_OK)) return
  throw new DataDirError(`Cannot use the data directory "${directory}": its owner, ${name}, may not enter a directory above it: see "Commands as root" in dateline help operations`)
}

/** The command reports what is wrong with the file otherwise. */
function requireUsable({ file, isRead }: NamedFile, name: string): void {
  const [path, mode, verb] = isRead ? [file, constants.R_OK, 'read'] : [dirname(file), constants.W_OK | constants.X_OK, 'write']
  if (!isDenied(path, mode)) return
  throw new UsageError(
    `Cannot ${verb} "${file}": the command works as ${name}, the owner of the data directory, who may not ${verb} there: ` +
      `name a file that this user can ${verb}`,
  )
}

function isDenied(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return false
  } catch (error) {
    return errorCode(error) === 'EACCES'
  }
}
