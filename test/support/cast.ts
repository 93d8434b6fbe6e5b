/** People of every role, made quickly: invited by the administrator and given a token, without a mail in between. */
import assert from 'node:assert/strict'
import { ADMIN_EMAIL, type TestService } from './service/service.ts'

export const ROLES = ['guest', 'standard', 'premium', 'publisher', 'admin'] as const
export type Role = (typeof ROLES)[number]

export interface Person {
  readonly id: string
  readonly email: string
  readonly token: string
}

export type Cast = Readonly<Record<Role, Person>>

const ROLES_OF: Readonly<Record<Exclude<Role, 'guest'>, { readonly appRole: string; readonly dashboardRole: string }>> =
  {
    standard: { appRole: 'standardUser', dashboardRole: 'none' },
    premium: { appRole: 'premiumUser', dashboardRole: 'none' },
    publisher: { appRole: 'standardUser', dashboardRole: 'publisher' },
    admin: { appRole: 'standardUser', dashboardRole: 'admin' },
  }

let invited = 0

/** A new person of this role. A guest is a real guest. The administrator with this token invites the others. */
export async function newPerson(service: TestService, role: Role, adminToken: string): Promise<Person> {
  if (role === 'guest') {
    const { id, token, user } = await service.guest()
    return { id, token, email: String(user['email']) }
  }
  const email = `${role}-${++invited}@example.org`
  const body = { email, ...ROLES_OF[role] }
  const response = await service.data('POST', '', { model: 'user' }, { token: adminToken, body })
  assert.equal(response.status, 201, response.text)
  const id = String(response.at('data.id'))
  return { id, email, token: await service.app.services.sessions.issue(id, { label: 'a test', now: service.now() }) }
}

/** One person of each role; the administrator is the one that the service made at its start. */
export async function newCast(service: TestService): Promise<Cast> {
  const { store, sessions } = service.app.services
  // On a cluster, reads of a test wait for the log.
  const id = String((await store.accounts.userByEmail(ADMIN_EMAIL))?.['id'])
  const token = await sessions.issue(id, { label: 'a test', now: service.now() })
  const people = { admin: { id, token, email: ADMIN_EMAIL } } as Record<Role, Person>
  for (const role of ROLES) people[role] ??= await newPerson(service, role, token)
  return people
}
