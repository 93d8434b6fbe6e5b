/** The blocks for proxies before nginx and Caddy themselves, on a Debian with their packages. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readExample, type Example } from '../../../src/guides/examples.ts'
import { requireTools, runTool, unpackDebian } from '../debian-archive.ts'

const HEAD = 'events {}\nhttp {\n  access_log off;\n  include /etc/dateline.conf;\n}\n'
const KEY = 'etc/ssl/private/news.example.org.pem'
const CERTIFICATE = 'etc/ssl/news.example.org.pem'

/** Throws NotAvailable where the proxies cannot be had, and an Error with the words of one that refuses its block. */
export function checkProxyFiles(blocks: { readonly nginx: Example; readonly caddy: readonly Example[] }): void {
  requireTools(['openssl'])
  const root = mkdtempSync(join(tmpdir(), 'dateline-proxies-'))
  try {
    unpackDebian({ name: 'proxies', release: 'bookworm', packages: ['nginx-light', 'caddy'] }, root)
    writeFileSync(join(root, 'dev/null'), '')
    mkdirSync(join(root, dirname(KEY)), { recursive: true })
    runTool('openssl', [...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=news.example.org'], '-keyout', join(root, KEY), '-out', join(root, CERTIFICATE)])
    const inRoot = (...words: readonly string[]): string => runTool('chroot', [root, ...words], { HOME: '/tmp', PATH: '/usr/sbin:/usr/bin' })
    writeFileSync(join(root, 'etc/nginx.conf'), HEAD)
    writeFileSync(join(root, 'etc/dateline.conf'), readExample(blocks.nginx))
    inRoot('nginx', '-t', '-c', '/etc/nginx.conf')
    for (const block of blocks.caddy) {
      writeFileSync(join(root, 'etc/Caddyfile'), readExample(block))
      inRoot('caddy', 'validate', '--adapter', 'caddyfile', '--config', '/etc/Caddyfile')
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
