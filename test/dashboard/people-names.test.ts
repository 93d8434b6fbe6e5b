/** What people are called, and the letters that stand for them. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { Client } from '../../src/client/client.ts'
import { askNames, initialsOf, nameOfPerson, titleOfPerson } from '../../src/dashboard/people.ts'
import type { User } from '../../src/models/user.ts'

for (const [name, initials] of [
  ['Ana Lima', 'AL'],
  ['ana maria de lima', 'AL'],
  ['Ana', 'A'],
  ['editor@example.org', 'E'],
  ['😀 Smile', '😀S'],
  ['محمد علي', 'مع'],
  ['  ', ''],
] as const) {
  it(`of ${JSON.stringify(name)} are ${initials}`, () => assert.equal(initialsOf(name), initials))
}

// Attack: a publisher signs in after an administrator, in the same page, to read e-mail addresses.
it('are asked for once, and again for another reader', async () => {
  const asked: (readonly string[])[] = []
  const askingAs = (id: string, email: string | null) => ({
    user: { id } as User,
    client: {
      dashboard: {
        people: async ({ ids }: { readonly ids: readonly string[] }) => {
          asked.push(ids)
          return { items: ids.map((one) => ({ id: one, name: null, email, role: 'publisher' })) }
        },
      },
    } as unknown as Client,
  })
  const [chief, publisher] = [askingAs('chief', 'ana@example.org'), askingAs('publisher', null)]
  assert.equal(await askNames(['ana', 'ana', 'service'], chief), true)
  assert.equal(await askNames(['ana'], chief), false)
  assert.equal(titleOfPerson('ana'), 'ana@example.org')
  assert.doesNotMatch(nameOfPerson('ana', publisher), /@/, 'before it is asked')
  await askNames(['ana'], publisher)
  assert.doesNotMatch(titleOfPerson('ana') + nameOfPerson('ana', publisher), /@/)
  assert.deepEqual(asked, [['ana'], ['ana']])
})
