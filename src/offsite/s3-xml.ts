/** The XML of S3's responses, by the scanner that reads feeds: elements with their texts, whatever the namespace. */
import { decodeReferences } from '../feeds/reading/character-references.ts'
import { createProblems } from '../feeds/reading/feed-problems.ts'
import { scanXml } from '../feeds/reading/xml-scanner.ts'

export interface XmlElement {
  readonly name: string
  readonly children: readonly XmlElement[]
  readonly text: string
}

/** A page of a list has a thousand objects with some members each. */
const ELEMENTS_MAX = 50_000

/** The root; undefined for a text without elements. */
export function readXml(source: string): XmlElement | undefined {
  interface Open {
    name: string
    children: XmlElement[]
    text: string
  }
  const root: Open = { name: '', children: [], text: '' }
  const open: Open[] = [root]
  let elements = 0
  const add = (text: string): void => {
    const innermost = open.at(-1)
    if (innermost !== undefined) innermost.text += text
  }
  scanXml(
    source,
    {
      keptOpen: (names) => names.length,
      open({ name }) {
        open.push({ name: name.replace(/^.*:/, ''), children: [], text: '' })
      },
      text: (start, end) => add(decodeReferences(source.slice(start, end))),
      literal: (start, end) => add(source.slice(start, end)),
      close() {
        const closed = open.pop()
        if (closed !== undefined && closed !== root && ++elements <= ELEMENTS_MAX) open.at(-1)?.children.push(closed)
      },
    },
    createProblems(source),
  )
  return root.children[0]
}

/** The text of the first child of a name. */
export function textOfChild(element: XmlElement | undefined, name: string): string | undefined {
  return element?.children.find((child) => child.name === name)?.text.trim()
}
