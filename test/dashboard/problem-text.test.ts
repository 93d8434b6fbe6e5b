// isolated: it stands in for what a browser has once
/** What forms say about a problem: a sentence for every code in every language, and the service's own for a new code. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { FAILURES } from '../../src/base/failure.ts'
import { PROBLEM_CODES, type ProblemCode } from '../../src/base/problem.ts'
import { BadRequest } from '../../src/client/client.ts'
import { failureText, problemOf, problemText, type Problem } from '../../src/dashboard/problem-text.ts'
import { LANGUAGES, useLanguage } from '../../src/dashboard/texts.ts'

/** Where the page has texts of its own for fields, the code of the text. */
const SAME: Readonly<Partial<Record<ProblemCode, ProblemCode>>> = { blank: 'required', notReference: 'required' }

const problem = (code: string, path: string, params: Problem['params'] = {}): Problem => {
  return { path, code, params, message: 'expected something else' }
}

for (const [language, { load }] of Object.entries(LANGUAGES)) {
  it(`every code has a text in ${language}`, async () => {
    const keys = Object.keys((await load()).default)
    const missing = PROBLEM_CODES.filter((code) => !keys.includes(`problem.${SAME[code] ?? code}`))
    assert.deepEqual(missing, [])
    const codes = keys.flatMap((key) => (key.startsWith('problem.') ? [key.split('.')[1] ?? ''] : []))
    assert.deepEqual(new Set(codes).difference(new Set<string>(PROBLEM_CODES)), new Set())
  })
}

describe('a problem', () => {
  before(() => {
    Object.assign(globalThis, { document: { documentElement: {} } })
    return useLanguage('en')
  })

  for (const [code, path, params, text] of [
    ['required', 'title', {}, 'Enter a title'],
    ['blank', 'name', {}, 'Enter a name'],
    ['required', 'source', {}, 'Choose a source'],
    ['notReference', 'headquarters', { model: 'country' }, 'Choose a country'],
    ['required', 'feedDecoratorConfig.suggestedTopics.itemsToDisplay', {}, 'Enter the number of items'],
    ['tooLong', 'title', { max: '10000' }, 'Use at most 10,000 characters'],
    ['tooMany', 'followedTopics', { max: '1000' }, 'Use at most 1,000 entries'],
    ['unknownName', 'visibleTo', { name: 'king', choices: 'guestUser' }, 'Remove “king”. Allowed: guestUser'],
    ['reservedName', '', { name: '$set' }, 'Rename “$set”: a name cannot be __proto__, start with $ or contain a dot'],
    ['duplicate', 'email', {}, 'This e-mail address already has an account.'],
    ['newInALaterVersion', 'title', {}, 'expected something else'],
  ] as const) {
    it(`${code} at ${JSON.stringify(path)} is told as “${text}”`, () => {
      assert.equal(problemText(problem(code, path, params)), text)
    })
  }

  it('is the first of an error of the service, and none of any other error', () => {
    const first = { path: 'title', code: 'blank', params: {}, message: 'no' } as const
    const refused = new BadRequest('title: no', { status: 400, code: 'invalidInput', problems: [first] })
    assert.equal(problemOf(refused), first)
    assert.equal(problemOf(new BadRequest('no', { status: 400, code: 'badRequest' })), undefined)
    assert.equal(problemOf(new Error('no')), undefined)
  })
})

describe('a request that failed', () => {
  const failed = (code: string): string => failureText({ code, message: 'operations[3]: No topic has the id "<b>x"' })

  it('is told in the words of the service to readers of English, but for what says nothing to them', async () => {
    await useLanguage('en')
    assert.equal(failed('notFound'), 'operations[3]: No topic has the id "<b>x"')
    assert.equal(failed('preconditionFailed'), 'Someone else has changed this meanwhile. Reload it and try again.')
  })

  it('is told in their language to others, and a code without a text as words of the service', async () => {
    await useLanguage('de')
    assert.equal(failed('notFound'), 'Das gibt es nicht mehr.')
    for (const code of ['conflict', 'newInALaterVersion']) assert.equal(failed(code), 'Der Server meldet: No topic has the id "<b>x"')
  })

  it('has texts for codes of the service and of the client only', async () => {
    const codes = Object.keys((await LANGUAGES.en.load()).default).flatMap((key) => (key.startsWith('failed.') ? [key.slice(7)] : []))
    assert.deepEqual(codes.filter((code) => !Object.hasOwn(FAILURES, code)), ['unreadableReply', 'said'])
  })
})
