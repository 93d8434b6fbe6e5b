/**
 * The executable on a Debian with nothing but its smallest set of packages: it serves, and its health check passes.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { unpackDebian, type DebianSystem } from '../debian-archive.ts'

/** Throws NotAvailable where Debian's packages cannot be had, and an Error where the service does not run. */
export async function serveOnBareDebian(release: DebianSystem['release'], program: string): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'dateline-bare-'))
  try {
    unpackDebian({ name: 'debian', release }, root)
    copyFileSync(program, join(root, 'usr/local/bin/dateline'))
    await serve(root)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function serve(root: string): Promise<void> {
  const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/local/bin`, DATELINE_DATA_DIR: '/srv/dateline', DATELINE_PORT: '0' }
  const service = spawn('chroot', [root, 'dateline', 'serve'], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = once(service, 'close') as Promise<[number | null]>
  let log = ''
  service.stderr.setEncoding('utf8').on('data', (text: string) => void (log += text))
  try {
    const [ready] = (await Promise.race([once(createInterface({ input: service.stdout }), 'line'), closed])) as [unknown]
    if (typeof ready !== 'string') throw new Error(`The service ended with ${ready}: ${log}`)
    const { port } = JSON.parse(ready) as { readonly port: number }
    const health = spawnSync('chroot', [root, 'dateline', 'health', '--ready'], { env: { ...env, DATELINE_PORT: String(port) }, encoding: 'utf8' })
    if (health.status !== 0) throw new Error(`dateline health ended with ${health.status}: ${health.stderr}`)
    service.kill('SIGTERM')
    const [code] = await closed
    if (code !== 0) throw new Error(`The service ended with ${code} after SIGTERM: ${log}`)
  } finally {
    service.kill('SIGKILL')
    await closed
  }
}
