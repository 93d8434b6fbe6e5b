/** Authority that ends while a body is on its way: role, token and account are what they are when it is written. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Account, Attack, Site } from './attack.ts'
import { dataPath, settlesWithin } from './loopback-client.ts'

const ARRIVES_MS = 300
const RESPONSE_MS_MAX = 10_000

interface LateRequest {
  readonly target: string
  readonly body: string
}

interface Case {
  readonly what: string
  readonly by: (site: Site) => Promise<Account>
  /** The request that is stopped in the middle of its body. */
  readonly request: (account: Account, site: Site) => Promise<LateRequest>
  /** What an administrator or the user itself does meanwhile. */
  readonly meanwhile: (site: Site, account: Account) => Promise<void>
  readonly wanted: readonly number[]
}

let made = 0
async function newUser(): Promise<LateRequest> {
  const email = `late-${Date.now()}-${made++}@example.org`
  return { target: `POST ${dataPath({ model: 'user' })}`, body: JSON.stringify({ email, dashboardRole: 'admin' }) }
}

const CASES: readonly Case[] = [
  {
    what: 'a demoted administrator creates an administrator',
    by: (site) => site.invite('admin'),
    request: newUser,
    meanwhile: demote,
    wanted: [403],
  },
  {
    what: 'a demoted, signed out and deleted administrator creates an administrator',
    by: (site) => site.invite('admin'),
    request: newUser,
    meanwhile: async (site, account) => {
      await demote(site, account)
      await must(site, 'DELETE', `/api/v1/admin/users/${account.id}/sessions`, 200)
      await must(site, 'DELETE', dataPath({ model: 'user' }, `/${account.id}`), 204)
    },
    wanted: [401],
  },
  {
    what: 'a demoted publisher changes a headline',
    by: (site) => site.invite('publisher'),
    request: async ({ token }, site) => {
      const path = dataPath({ model: 'headline' }, `/${site.headlineIds[1]}`)
      const { data } = JSON.parse((await site.send({ path, token })).text) as { data: object }
      // In ASCII, so that characters are bytes.
      const body = JSON.stringify({ ...data, title: 'late' }).replace(/[^ -~]/g, '?')
      return { target: `PUT ${path}`, body }
    },
    meanwhile: demote,
    wanted: [403],
  },
  {
    what: 'a deleted guest writes settings',
    by: (site) => site.guest(),
    request: async ({ id }) => ({
      target: `PUT ${dataPath({ model: 'user_content_preferences' }, `/${id}`)}`,
      body: JSON.stringify({ followedCountries: [], followedSources: [], followedTopics: [], savedHeadlines: [] }),
    }),
    meanwhile: async (site, { token }) => {
      await site.send({ method: 'DELETE', path: '/api/v1/auth/delete-account', token })
    },
    wanted: [401],
  },
  {
    what: 'a signed out administrator creates an administrator',
    by: (site) => site.invite('admin'),
    request: newUser,
    meanwhile: async (site, { token }) => {
      await site.send({ method: 'POST', path: '/api/v1/auth/sign-out', token })
    },
    wanted: [401],
  },
]

export const lateBodies: Attack = {
  name: 'late-bodies',
  tries: 'demoted, signed out and deleted users whose bodies arrive afterwards',
  isQuick: true,
  async run(site) {
    const [notes, faults]: [string[], string[]] = [[], []]
    for (const { what, by, request, meanwhile, wanted } of CASES) {
      const account = await by(site)
      const { target, body } = await request(account, site)
      const status = await sendLate(site, account.token, target, body, () => meanwhile(site, account))
      notes.push(`${what}: ${status}`)
      if (!wanted.includes(status)) faults.push(`${what}: the response is ${status}, wanted ${wanted.join(' or ')}`)
    }
    return { notes, faults }
  },
}

async function sendLate(site: Site, token: string, target: string, body: string, meanwhile: () => Promise<void>) {
  const socket = await site.connect(site.newAddress())
  const { promise, resolve } = Promise.withResolvers<number>()
  let received = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text
    const [, status] = /^HTTP\/1\.1 ([2-5]\d\d)/.exec(received) ?? []
    if (status !== undefined) resolve(Number(status))
  })
  socket.once('close', () => resolve(0))
  const half = Math.floor(body.length / 2)
  socket.write(
    `${target} HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\nAuthorization: Bearer ${token}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, half)}`,
  )
  await pause(ARRIVES_MS)
  await meanwhile()
  socket.write(body.slice(half))
  const status = (await settlesWithin(promise, RESPONSE_MS_MAX)) ? await promise : 0
  socket.destroy()
  return status
}

async function demote(site: Site, { id }: Account): Promise<void> {
  const path = dataPath({ model: 'user' }, `/${id}`)
  const { text } = await site.send({ path, token: site.administrator.token })
  const user = (JSON.parse(text) as { data: object }).data
  await must(site, 'PUT', path, 200, { ...user, dashboardRole: 'none' })
}

async function must(site: Site, method: string, path: string, wanted: number, body?: object): Promise<void> {
  const { status, text } = await site.send({ method, path, body, token: site.administrator.token })
  if (status !== wanted) throw new Error(`${method} ${path}: ${status} ${text}`)
}
