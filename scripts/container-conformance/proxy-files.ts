/** The blocks for proxies before nginx and Caddy themselves, which come from Debian's packages, unpacked and not installed. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readExample, type Example } from '../../src/guides/examples.ts'
import { debianTree } from '../mail-conformance/debian-tree.ts'
import { run } from './image-without-daemon.ts'

const HEAD = 'events {}\nhttp {\n  access_log off;\n  include /etc/dateline.conf;\n}\n'
const KEY = 'etc/ssl/private/news.example.org.pem'
const CERTIFICATE = 'etc/ssl/news.example.org.pem'

/** Throws NotAvailable where the proxies cannot be had, and an Error with the words of one that refuses its block. */
export function checkProxyFiles(cache: string, blocks: { readonly nginx: Example; readonly caddy: readonly Example[] }): void {
  const work = mkdtempSync(join(tmpdir(), 'dateline-proxies-'))
  try {
    const tree = debianTree({ cache, work }, { name: 'proxies', suite: 'bookworm', packages: ['nginx-light', 'caddy'] })
    const root = join(work, 'root')
    cpSync(tree, root, { recursive: true, verbatimSymlinks: true })
    for (const directory of ['etc', 'dev', 'run', 'tmp', 'var/log/nginx', 'var/lib/nginx', dirname(KEY)]) mkdirSync(join(root, directory), { recursive: true })
    writeFileSync(join(root, 'dev/null'), '')
    run('openssl', [...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=news.example.org'], '-keyout', join(root, KEY), '-out', join(root, CERTIFICATE)])
    const inTree = (...words: readonly string[]): void => {
      const { status, stderr } = spawnSync('chroot', [root, ...words], { env: { HOME: '/tmp', PATH: '/usr/sbin:/usr/bin' }, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${stderr}`)
    }
    writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n')
    writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n')
    writeFileSync(join(root, 'etc/nginx.conf'), HEAD)
    writeFileSync(join(root, 'etc/dateline.conf'), readExample(blocks.nginx))
    inTree('nginx', '-t', '-c', '/etc/nginx.conf')
    for (const block of blocks.caddy) {
      writeFileSync(join(root, 'etc/Caddyfile'), readExample(block))
      inTree('caddy', 'validate', '--adapter', 'caddyfile', '--config', '/etc/Caddyfile')
    }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
