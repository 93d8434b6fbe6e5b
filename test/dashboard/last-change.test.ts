/** The line that says who changed a document last. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changeText } from '../../src/dashboard/screens/overview/last-change.ts'
import type { User } from '../../src/models/user.ts'

const reader = { id: 'reader' } as User
const actor = { id: 'ana', name: 'Ana', email: null, role: 'publisher' } as const
const textOf = (kind: 'created' | 'updated', ...paths: readonly string[]): string => changeText({ kind, actor, paths }, reader)

it('names the fields that changed, some of them, each once', () => {
  assert.equal(textOf('updated', 'title', 'source.id', 'source.name', 'url', 'excerpt'), 'history.updated · Title · Source · Url')
  assert.equal(textOf('created', 'title'), 'history.created')
})

it('says once that a draft was handed in, which its tag does', () => {
  assert.equal(textOf('updated', 'handedInAt'), 'history.updated')
  assert.equal(textOf('updated', 'handedInAt', 'title'), 'history.updated · Title')
})
