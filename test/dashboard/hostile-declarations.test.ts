/**
 * The attack: a declaration, or a pull request that changes one, brings text that is markup, to run a script in the
 * browser of everyone who reads /docs and has a session there.
 *
 * The page is generated, so no Content Security Policy of the elements that a script makes helps: markup in a text must
 * never become an element or an attribute. Every text and every name of the description is spoilt in turn.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { html } from '../../src/base/html.ts'
import { referencePage } from '../../src/reference/reference-page.ts'
import { openApiDocument } from '../../src/api/openapi/openapi.ts'
import { MARKUP, spoilt, withHostileNames } from '../support/schema/hostile-description.ts'

const description = openApiDocument({ version: '1.2.3' })

/** The elements of a page with the names of their attributes, in their order. A spoilt value selects no option. */
function structureOf(page: string): readonly string[] {
  const tags = page.matchAll(/<(\/?[a-z][\w-]*)((?:\s+[\w-]+(?:="[^"]*")?)*)\s*>/g)
  return [...tags].map(([, tag = '', attributes = '']) => {
    const names = [...attributes.matchAll(/\s([\w-]+)(?:="[^"]*")?/g)].map(([, name]) => name)
    return [tag, ...names.filter((name) => name !== 'selected')].join(' ')
  })
}

describe('hostile text in a declaration', () => {
  it('stays text in every place where a description has text', () => {
    const [clean, hostile] = [referencePage(description), referencePage(spoilt(description))]
    assert.ok(hostile.split('&lt;img src=x').length > 1_000, 'nothing was spoilt')
    assert.doesNotMatch(hostile, /<(?:img|script|a href="javascript)/)
    // A sign that opens a tag and opens none would have escaped the pattern of the structure.
    const [wanted, found] = [structureOf(clean), structureOf(hostile)]
    assert.equal(hostile.split('<').length - 1, found.length)
    assert.equal(found.find((element, index) => element !== wanted[index]), undefined)
    assert.equal(found.length, wanted.length)
  })

  it('stays text in the names of models, fields, parameters, schemas, headers and codes', () => {
    const hostile = referencePage(withHostileNames(description))
    assert.ok(hostile.split('&lt;img src=x').length > 20, 'nothing was spoilt')
    assert.doesNotMatch(hostile, /<(?:img|script)/)
    assert.equal(hostile.split('<').length - 1, structureOf(hostile).length)
    for (const [, target = ''] of hostile.matchAll(/\shref="([^"]*)"/g)) assert.match(target, /^#\/|^api\/|^docs\/client\/$/)
  })

  it('cannot leave an attribute or close an element of a template', () => {
    for (const [text, wanted] of [
      [MARKUP, /^<p title="[^"<>]*">[^<>]*<\/p>$/],
      ['" onclick="alert(1)', /^<p title="&quot; onclick=&quot;alert\(1\)">/],
      ["' onclick='alert(1)", /^<p title="&#39; onclick=&#39;alert\(1\)">/],
      ['&lt;b&gt;', /&amp;lt;b&amp;gt;/],
      ['</p></template></textarea>', /&lt;\/p&gt;/],
    ] as const) {
      assert.match(html`<p title="${text}">${text}</p>`.markup, wanted)
    }
  })

  it('is rejected where it poses as HTML of a template', () => {
    const lookalike = JSON.parse('{ "markup": "<img>" }') as string
    assert.throws(() => html`${lookalike}`)
    assert.throws(() => html`${[lookalike]}`)
  })
})
