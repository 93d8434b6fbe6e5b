/**
 * Debian packages without installing them: a package and its dependencies, down to the C library, unpacked into a
 * directory.
 *
 * Installed mail servers exclude each other, start by themselves and take port 25. Unpacked, they are only files, of any
 * Debian release: apt-get gets its own sources, lists and an empty list of installed packages. Signatures are verified
 * with Debian's keys.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

const MIRROR = 'http://deb.debian.org/debian'
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg'
const APT_TIMEOUT_MS = 180_000
const UNPACK_TIMEOUT_MS = 60_000
/** How long a tree is used before apt-get is asked for newer packages. */
const TREE_DAYS_MAX = 7
/** Manuals, and files that only the installation of a package needs. */
const NOT_UNPACKED = ['./usr/share/*', './usr/lib/*/perl*', './usr/lib/udev', './usr/lib/systemd', './lib/systemd']
const SHOWN_CHARS_MAX = 300

/** Something that a case needs is not available on this machine; the message says why. */
export class NotAvailable extends Error {
  override readonly name = 'NotAvailable'
}

export interface DebianTree {
  /** Names the tree in the cache. */
  readonly name: string
  readonly suite: 'bookworm' | 'trixie'
  readonly packages: readonly string[]
  /** Run once in the new tree with it as the root directory. */
  readonly warmUp?: readonly string[]
}

export interface Places {
  /** Keeps the trees for other runs. */
  readonly cache: string
  /** Of this run alone. */
  readonly work: string
}

/** The directory of the tree in the cache, fetched and unpacked unless it is there. Throws NotAvailable. */
export function debianTree({ cache, work }: Places, spec: DebianTree): string {
  const tree = join(cache, `${spec.name}-${spec.suite}`)
  const made = statSync(tree, { throwIfNoEntry: false })?.mtimeMs
  if (made !== undefined && Date.now() - made < TREE_DAYS_MAX * 86_400_000) return tree
  try {
    mkdirSync(cache, { recursive: true })
    // Unpacked under another name, so that the final name always has a complete tree.
    const fresh = mkdtempSync(`${tree}.`)
    try {
      for (const deb of fetchPackages(join(work, `apt-${spec.suite}`), spec)) {
        unpack(deb, fresh)
        rmSync(deb)
      }
      if (spec.warmUp !== undefined) spawnSync('chroot', [fresh, ...spec.warmUp])
      // tar set the date of a package.
      utimesSync(fresh, new Date(), new Date())
      replaceTree(fresh, tree)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  } catch (error) {
    // Without a network, an older tree is used.
    if (!(error instanceof NotAvailable) || made === undefined) throw error
  }
  return tree
}

/** Replaces the old tree, unless another run was faster. */
function replaceTree(fresh: string, tree: string): void {
  rmSync(tree, { recursive: true, force: true })
  try {
    renameSync(fresh, tree)
  } catch (error) {
    if (!existsSync(tree)) throw error
  }
}

/** The files of the packages with all their dependencies. */
function fetchPackages(apt: string, { suite, packages }: DebianTree): string[] {
  if (!existsSync(KEYRING)) throw new NotAvailable(`there is no ${KEYRING}`)
  const isUpdated = existsSync(apt)
  for (const directory of ['lists/partial', 'debs/partial']) mkdirSync(join(apt, directory), { recursive: true })
  writeFileSync(join(apt, 'sources.list'), `deb [signed-by=${KEYRING}] ${MIRROR} ${suite} main\n`)
  writeFileSync(join(apt, 'status'), '')
  const settings = {
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'Dir::State::lists': join(apt, 'lists'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache::archives': join(apt, 'debs'),
    'Dir::Cache::pkgcache': '',
    'Dir::Cache::srcpkgcache': '',
    'APT::Sandbox::User': 'root',
    // An unreachable mirror is an error, not a warning.
    'APT::Update::Error-Mode': 'any',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
  }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  if (!isUpdated) runApt([...options, '-qq', 'update'])
  // Servers start programs with the `sh` of dash.
  runApt([...options, '-qq', '-y', '--no-install-recommends', '--download-only', 'install', 'dash', ...packages])
  const debs = readdirSync(join(apt, 'debs')).filter((name) => name.endsWith('.deb'))
  return debs.map((deb) => join(apt, 'debs', deb))
}

function runApt(args: readonly string[]): void {
  const { status, stderr, error } = spawnSync('apt-get', args, {
    encoding: 'utf8',
    timeout: APT_TIMEOUT_MS,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' },
  })
  if (status === 0) return
  if (error !== undefined && 'code' in error && error.code === 'ENOENT') throw new NotAvailable('there is no apt-get')
  const reason = error?.message ?? /^E: .*$/m.exec(stderr)?.[0] ?? `it ended with ${status}`
  throw new NotAvailable(`apt-get failed: ${reason.slice(0, SHOWN_CHARS_MAX)}`)
}

function unpack(deb: string, tree: string): void {
  // Packages have one of two layouts, with and without /usr in front.
  for (const folder of ['bin', 'sbin', 'lib', 'lib64']) {
    mkdirSync(join(tree, 'usr', folder), { recursive: true })
    if (!existsSync(join(tree, folder))) symlinkSync(`usr/${folder}`, join(tree, folder))
  }
  const data = spawnSync('dpkg-deb', ['--fsys-tarfile', deb], { maxBuffer: 1 << 30, timeout: UNPACK_TIMEOUT_MS })
  const excluded = NOT_UNPACKED.map((pattern) => `--exclude=${pattern}`)
  const tar = spawnSync('tar', ['-x', '-C', tree, '--keep-directory-symlink', '--no-same-owner', ...excluded], {
    input: data.stdout,
    timeout: UNPACK_TIMEOUT_MS,
  })
  const failed = [data, tar].find(({ status }) => status !== 0)
  if (failed === undefined) return
  throw new NotAvailable(`${deb} could not be unpacked: ${failed.error?.message ?? String(failed.stderr).trim()}`)
}
