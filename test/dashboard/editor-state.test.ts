/** Every state of the editor, without a page: typing, saving, a lost response, conflicts, changes by others, restoring and leaving. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Members } from '../../src/dashboard/any-documents.ts'
import { parseExactly } from '../../src/dashboard/exact-json.ts'
import { beginning, bodyOf, documentOf, hasUnsaved, plannedAt, reactionTo, reduce, type EditorEvent, type FormValue } from '../../src/dashboard/screens/editor/editor-state.ts'
import type { StoredAny } from '../../src/dashboard/screens/editor/store-document.ts'
import { headline } from '../../src/models/headline.ts'
import type { Model } from '../../src/models/schema.ts'
import { topic } from '../../src/models/topic.ts'

const NOW = Date.parse('2026-03-01T12:00:00.000Z')
const LATER = '2026-03-02T08:00:00.000Z'
const HARBOURS = { id: 't1', name: 'Harbours' }
const FIELDS = { title: 'New ferry', excerpt: 'Two boats', url: '', topic: HARBOURS, publishAt: null, unpublishAt: null }

const stored = (members: Members, etag = '"1"'): StoredAny => {
  const { publishAt: _, unpublishAt: __, ...fields } = FIELDS
  return { etag, document: { id: 'h1', type: 'headline', createdAt: '2026-03-01T00:00:00.000Z', updatedAt: '2026-03-01T00:00:00.000Z', status: 'draft', ...fields, ...members } } as unknown as StoredAny
}

/** An editor with a form that does what it is told, as that of the page. */
function editorOf(first: Parameters<typeof beginning>[1], fields: Members = { ...FIELDS, ...first.stored?.document, ...first.copied }, model: Model = headline) {
  const declared = Object.keys(FIELDS)
  let form: FormValue = { own: only(fields, declared), further: {} }
  let state = beginning(model, first, form)
  const editor = {
    state: () => state,
    form: () => form,
    type(members: Members): void {
      form = { ...form, own: { ...form.own, ...members } }
    },
    typeFurther(further: Members | undefined): void {
      form = { ...form, further }
    },
    take(event: EditorEvent): void {
      const { state: next, fill, change } = reduce(state, event, form)
      state = next
      if (change !== undefined) editor.type(change)
      if (fill !== undefined) form = { ...form, own: { ...FIELDS, ...only(fill, declared) } }
    },
    adopt(theirs: StoredAny): void {
      editor.take({ kind: 'adopted', theirs })
      editor.take({ kind: 'filled' })
    },
    body: (as?: string) => bodyOf(state, form, as),
    isUnsaved: () => hasUnsaved(state, form),
    reaction: (theirs: Members | undefined) => reactionTo(theirs, state, form),
    /** Sends what the form holds, and gives what was sent. */
    send(as?: string): Members {
      const body = editor.body(as) ?? {}
      editor.take({ kind: 'sent', body })
      return body
    },
    accept(members: Members, etag = '"2"'): void {
      editor.take({ kind: 'accepted', stored: stored(members, etag) })
      editor.take({ kind: 'ended' })
    },
  }
  return editor
}

function only(members: Members, names: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => names.includes(name)))
}

describe('typing in an editor', () => {
  it('makes it unsaved, and taking it back makes it saved again', () => {
    const editor = editorOf({ stored: stored({}) })
    assert.equal(editor.isUnsaved(), false)
    editor.type({ title: 'Newer ferry' })
    assert.equal(editor.isUnsaved(), true)
    assert.equal(documentOf(editor.state(), editor.form())['title'], 'Newer ferry')
    assert.equal(documentOf(editor.state(), editor.form())['createdAt'], '2026-03-01T00:00:00.000Z')
    editor.type({ title: 'New ferry' })
    assert.equal(editor.isUnsaved(), false)
  })

  it('in further members that are no JSON yet is unsaved, and is not sent', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.typeFurther(undefined)
    assert.deepEqual([editor.body(), editor.isUnsaved()], [undefined, true])
    assert.equal(documentOf(editor.state(), editor.form())['title'], 'New ferry')
  })

  it('a new document is saved while nothing is typed, and a copy is unsaved from the beginning', () => {
    assert.equal(editorOf({}).isUnsaved(), false)
    assert.equal(editorOf({ copied: { title: 'New ferry' } }).isUnsaved(), true)
  })

  it('no time is sent as none where the form had none: the service may have set one meanwhile', () => {
    assert.ok(!Object.hasOwn(editorOf({ stored: stored({}) }).body() ?? {}, 'publishAt'))
    const planned = editorOf({ stored: stored({ publishAt: LATER }) })
    planned.type({ publishAt: null })
    assert.equal(planned.body()?.['publishAt'], null)
  })

  it('a time to come plans a draft, and one that is past, of an active one or of a model without a schedule does not', () => {
    const plan = (first: StoredAny, publishAt: string, model: Model = headline): string | undefined => {
      const editor = editorOf({ stored: first }, undefined, model)
      editor.type({ publishAt })
      return plannedAt(editor.state(), editor.form(), NOW)
    }
    assert.equal(plan(stored({}), LATER), LATER)
    assert.equal(plan(stored({}), '2026-03-01T12:00:00.000Z'), undefined)
    assert.equal(plan(stored({ status: 'active' }), LATER), undefined)
    assert.equal(plan(stored({}), LATER, topic), undefined)
  })
})

describe('saving', () => {
  it('runs until the request has ended, and what is typed meanwhile stays unsaved', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'Newer ferry' })
    editor.send()
    assert.equal(editor.state().isSaving, true)
    editor.type({ excerpt: 'Three boats' })
    editor.accept({ title: 'Newer ferry' })
    assert.deepEqual([editor.state().isSaving, editor.isUnsaved(), editor.state().stored?.etag], [false, true, '"2"'])
    assert.equal(editor.form().own['excerpt'], 'Three boats')
    editor.type({ excerpt: 'Two boats' })
    assert.equal(editor.isUnsaved(), false)
  })

  it('a response that is lost leaves all as it was: unsaved, to be saved again from the same version', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'Newer ferry' })
    const sent = editor.send()
    editor.take({ kind: 'ended' })
    assert.deepEqual([editor.state().isSaving, editor.isUnsaved(), editor.state().stored?.etag], [false, true, '"1"'])
    assert.deepEqual(editor.send(), sent)
  })

  it('publishing takes the time of the draft away, and from the form, unless another was typed meanwhile', () => {
    for (const [typed, wanted] of [[undefined, null], ['2026-03-03T08:00:00.000Z', '2026-03-03T08:00:00.000Z']] as const) {
      const editor = editorOf({ stored: stored({ publishAt: LATER }) })
      assert.equal(editor.send('active')['publishAt'], null)
      if (typed !== undefined) editor.type({ publishAt: typed })
      editor.accept({ status: 'active' })
      assert.deepEqual([editor.state().status, editor.form().own['publishAt'], editor.isUnsaved()], ['active', wanted, typed !== undefined])
    }
  })

  it('archiving takes both times away', () => {
    const body = editorOf({ stored: stored({ status: 'active', unpublishAt: LATER }) }).body('archived')
    assert.deepEqual([body?.['status'], body?.['publishAt'], body?.['unpublishAt']], ['archived', null, null])
  })
})

describe('a conflict', () => {
  it('that is decided continues from their version, with what was decided and what was typed meanwhile, unsaved', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'My ferry' })
    const sent = editor.send()
    editor.type({ excerpt: 'Typed meanwhile' })
    const theirs = stored({ title: 'Their ferry', url: 'https://a.example/' }, '"7"')
    editor.take({ kind: 'takenOver', theirs, settled: { ...sent, url: 'https://a.example/' } })
    assert.deepEqual(only(editor.form().own, ['title', 'excerpt', 'url']), { title: 'My ferry', excerpt: 'Typed meanwhile', url: 'https://a.example/' })
    assert.deepEqual([editor.state().stored?.etag, editor.isUnsaved()], ['"7"', true])
    editor.accept({ title: 'My ferry', url: 'https://a.example/' }, '"8"')
    assert.equal(editor.isUnsaved(), true)
    editor.type({ excerpt: 'Two boats' })
    assert.equal(editor.isUnsaved(), false)
  })

  it('that is decided before anything is sent goes by what the form held', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'My ferry' })
    const mine = editor.body() ?? {}
    editor.take({ kind: 'takenOver', theirs: stored({ title: 'Their ferry' }, '"7"'), settled: { ...mine, title: 'Their ferry' }, mine })
    assert.deepEqual([editor.form().own['title'], editor.state().isSaving, editor.isUnsaved()], ['Their ferry', false, true])
  })
})

describe('a change by others', () => {
  const theirs = (members: Members): Members => stored({ updatedAt: '2026-03-01T11:00:00.000Z', ...members }).document

  for (const [name, typed, members, wanted] of [
    ['of what the reader sees is told', {}, { title: 'Their ferry' }, 'changed'],
    ['is told to a reader who is typing', { excerpt: 'Mine' }, { title: 'Their ferry' }, 'changed'],
    ['of a copy of another document is followed', {}, { topic: { ...HARBOURS, name: 'Ports' } }, 'follow'],
    ['of a copy is followed below what is typed', { title: 'Mine' }, { topic: { ...HARBOURS, name: 'Ports' } }, 'follow'],
    ['to another topic is told', {}, { topic: { id: 't2', name: 'Ports' } }, 'changed'],
    ['that hands it in is followed', {}, { handedInAt: LATER }, 'follow'],
    ['that hands it in is told to a reader who is typing', { title: 'Mine' }, { handedInAt: LATER }, 'changed'],
    ['that publishes it as it is shows that', {}, { status: 'active', publishedAt: LATER }, 'published'],
    ['that publishes it is told to a reader who is typing', { title: 'Mine' }, { status: 'active', publishedAt: LATER }, 'changed'],
    ['that publishes something else is told', {}, { status: 'active', publishedAt: LATER, title: 'Their ferry' }, 'changed'],
  ] as const) {
    it(name, () => {
      const editor = editorOf({ stored: stored({}) })
      editor.type(typed)
      assert.equal(editor.reaction(theirs(members)), wanted)
    })
  }

  it('that deletes it is told, and what is stored here already is not', () => {
    const editor = editorOf({ stored: stored({}) })
    assert.equal(editor.reaction(undefined), 'deleted')
    assert.equal(editor.reaction(stored({}).document), 'none')
    assert.equal(editorOf({}).reaction(undefined), 'none', 'a new document cannot be changed elsewhere')
  })

  it('with a number that no double can hold is the same as the one of the stream', () => {
    const editor = editorOf({ stored: stored(parseExactly('{"views":12345678901234567890}') as Members) })
    assert.equal(editor.reaction(stored({ views: 12345678901234567890 }).document), 'none')
  })
})

describe('restoring and leaving', () => {
  it('a version that is restored is what is stored, shown and saved', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'Given up' })
    editor.adopt(stored({ title: 'Old ferry', status: 'archived' }, '"9"'))
    assert.deepEqual([editor.form().own['title'], editor.state().status, editor.state().stored?.etag, editor.isUnsaved()], ['Old ferry', 'archived', '"9"', false])
  })

  it('a document that is removed, or has become others, has nothing to be kept', () => {
    const editor = editorOf({ stored: stored({}) })
    editor.type({ title: 'Mine' })
    editor.take({ kind: 'left' })
    assert.equal(editor.isUnsaved(), false)
  })
})
