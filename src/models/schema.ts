/**
 * The small language in which a model is declared: its fields in the order in which they are written, who may do what,
 * and the indexes of its usual queries. Validation, types, authorization, SQL and the documentation all read it.
 */

export type Field =
  | TextField
  | ChoiceField
  | BooleanField
  | WholeField
  | DateField
  | NullableField
  | OptionalField
  | ListField
  | RecordField
  | MapField
  | EmbeddedField
  | GeneratedField
  | ConstantField

/** What documentation says of a field: not what its name says already, and a value like a real one. */
export interface Docs {
  readonly description?: string
  readonly example?: string | number | boolean | null | readonly string[]
}

/**
 * Any text; `blank: false` wants at least one character that is no white space. `max` is in code points. `implied` stands
 * in where it is left out, in embedded copies too.
 */
export interface TextField extends Docs {
  readonly kind: 'text'
  readonly blank: boolean
  readonly max?: number
  readonly implied?: string
  readonly form?: TextForm
}
/** What a text has to be where it is written; see content/rules/text-forms.ts. Stored documents may have another from before. */
export type TextForm = 'httpUrl' | 'siteUrl' | 'languageCode' | 'countryCode' | 'personName' | 'publicationName' | 'contact'
/** One of a few texts. `initial` stands in where a new document leaves it out, `implied` also in a replacement. */
export interface ChoiceField<V extends string = string> extends Docs {
  readonly kind: 'choice'
  readonly values: readonly V[]
  readonly initial?: V
  readonly implied?: V
}
/** `implied` stands in where it is left out. */
export interface BooleanField extends Docs {
  readonly kind: 'boolean'
  readonly implied?: boolean
}
/** A whole number, 0 or more. */
export interface WholeField extends Docs {
  readonly kind: 'whole'
}
/** A date that a client sets; it is stored as UTC with milliseconds. */
export interface DateField extends Docs {
  readonly kind: 'date'
}
/** The value or null; a missing one is read as null. */
export interface NullableField<F extends Field = Field> extends Docs {
  readonly kind: 'nullable'
  readonly of: F
}
/**
 * A date or a text that a document may lack. Null removes it, and a replacement that leaves it out keeps the stored one:
 * clients that do not know the member do not remove it.
 */
export interface OptionalField<F extends DateField | TextField = DateField | TextField> extends Docs {
  readonly kind: 'optional'
  readonly of: F
}
/** Where `absent` is 'keep', a replacement that leaves the list out keeps the stored one. `max` is in items. */
export interface ListField<F extends Field = Field, A extends 'refuse' | 'keep' = 'refuse' | 'keep'> extends Docs {
  readonly kind: 'list'
  readonly of: F
  readonly absent: A
  readonly max?: number
}
/** Fixed members. `extras` says what becomes of members that are not declared. */
export interface RecordField<S extends Shape = Shape> extends Docs {
  readonly kind: 'record'
  readonly fields: S
  readonly extras: Extras
}
/** A keyed map: every key may be missing, unknown ones are rejected. */
export interface MapField<K extends string = string, F extends Field = Field> extends Docs {
  readonly kind: 'map'
  readonly keys: readonly K[]
  readonly of: F
}
/** A whole copy of a document of another model. */
export interface EmbeddedField<M extends Model = Model> extends Docs {
  readonly kind: 'embedded'
  readonly model: M
}
/** Set by the server; what a client sends is ignored, except in embedded copies, which are kept as sent. */
export interface GeneratedField extends Docs {
  readonly kind: 'generated'
  readonly as: 'id' | 'date'
}
/** Always the name of the model, whatever is sent. */
export interface ConstantField<V extends string = string> extends Docs {
  readonly kind: 'constant'
  readonly value: V
}

export type Extras = 'keep' | 'drop'
export interface Shape {
  readonly [name: string]: Field
}

/** Titles and names are indexed for searches, each three characters of them, in the transaction that stores them. */
const TITLE_POINTS_MAX = 10_000

const PERSON_NAME_POINTS_MAX = 80

/** Characters of the id of an embedded copy: it is a key of indexes. */
export const EMBEDDED_ID_CHARS_MAX = 200

export const text = (docs?: Docs): TextField => ({ kind: 'text', blank: true, ...docs })
/** A text that is empty where it is not given. */
export const optionalText = (docs?: Docs): TextField & { readonly implied: '' } => ({ ...text(docs), implied: '' })
/** The address of a page or a picture, or an empty text. */
export const httpUrl = (docs?: Docs): TextField => ({ ...text(docs), form: 'httpUrl' })
/** The same, or a path such as `/flags/is.png` where the site serves the file itself. */
export const siteUrl = (docs?: Docs): TextField => ({ ...text(docs), form: 'siteUrl' })
export const code = (form: 'languageCode' | 'countryCode', docs?: Docs): TextField => ({ ...text(docs), form })
export const nonBlankText = (docs?: Docs): TextField => ({ kind: 'text', blank: false, max: TITLE_POINTS_MAX, ...docs })
export const boolean = (docs?: Docs): BooleanField => ({ kind: 'boolean', ...docs })
/** One that is false where it is not given. */
export const optionalBoolean = (docs?: Docs): BooleanField & { readonly implied: false } => ({ ...boolean(docs), implied: false })
export const whole = (docs?: Docs): WholeField => ({ kind: 'whole', ...docs })
export const date = (docs?: Docs): DateField => ({ kind: 'date', ...docs })
export const nullable = <F extends Field>(of: F, docs?: Docs): NullableField<F> => ({ kind: 'nullable', of, ...docs })
export const optionalDate = (docs?: Docs): OptionalField<DateField> => ({ kind: 'optional', of: date(), ...docs })
/** The name of a person, in one line. */
export const optionalName = (docs?: Docs): OptionalField<TextField> => ({
  kind: 'optional',
  of: { kind: 'text', blank: false, max: PERSON_NAME_POINTS_MAX, form: 'personName' },
  ...docs,
})
export const embedded = <M extends Model>(model: M, docs?: Docs): EmbeddedField<M> => ({ kind: 'embedded', model, ...docs })

const TYPE = { description: 'Always the name of the model' }
const ID = { description: 'Given by the server, and never changed' }
const CREATED = { description: 'Set by the server, in UTC', example: '2026-03-01T08:00:00.000Z' }
const UPDATED = { description: 'Set by the server with each change, in UTC', example: '2026-03-01T09:30:00.000Z' }

export const id = (docs?: Docs): GeneratedField => ({ kind: 'generated', as: 'id', ...ID, ...docs })
export const createdAt = (): GeneratedField => ({ kind: 'generated', as: 'date', ...CREATED })
export const updatedAt = (): GeneratedField => ({ kind: 'generated', as: 'date', ...UPDATED })
export const constant = <const V extends string>(value: V): ConstantField<V> => ({ kind: 'constant', value, ...TYPE })

/** The type remembers which default there is, so that types of bodies know what may be left out. */
export function choice<const V extends string>(values: readonly V[], docs?: Docs): ChoiceField<V>
export function choice<const V extends string, const A extends Pick<ChoiceField<V>, 'initial' | 'implied'>>(
  values: readonly V[],
  options: A & Docs,
): ChoiceField<V> & A
export function choice<V extends string>(values: readonly V[], options: Partial<ChoiceField<V>> = {}): ChoiceField<V> {
  return { ...options, kind: 'choice', values }
}

type ListOptions<A> = Pick<ListField, 'max'> & Docs & { readonly absent: A }

export function list<F extends Field>(of: F, options?: Pick<ListField, 'max'> & Docs): ListField<F, 'refuse'>
export function list<F extends Field, const A extends ListField['absent']>(of: F, options: ListOptions<A>): ListField<F, A>
export function list<F extends Field>(of: F, options: Partial<ListOptions<ListField['absent']>> = {}): ListField<F> {
  return { absent: 'refuse', ...options, kind: 'list', of }
}

export function record<S extends Shape>(fields: S, extras: Extras = 'keep', docs?: Docs): RecordField<S> {
  return { kind: 'record', fields, extras, ...docs }
}

export function map<const K extends string, F extends Field>(keys: readonly K[], of: F, docs?: Docs): MapField<K, F> {
  return { kind: 'map', keys, of, ...docs }
}

/** The TypeScript type of a field's value, as it is stored. */
export type ValueOf<F extends Field> =
  F extends ChoiceField<infer V>
    ? V
    : F extends ConstantField<infer V>
      ? V
      : F extends BooleanField
        ? boolean
        : F extends WholeField
          ? number
          : F extends NullableField<infer G>
            ? ValueOf<G> | null
            : F extends ListField<infer G>
              ? readonly ValueOf<G>[]
              : F extends RecordField<infer S>
                ? RecordOf<S>
                : F extends MapField<infer K, infer G>
                  ? { readonly [key in K]?: ValueOf<G> }
                  : F extends EmbeddedField<infer M>
                    ? DocumentOf<M>
                    : string

export type RecordOf<S extends Shape> = {
  readonly [name in keyof S as S[name] extends OptionalField ? never : name]: ValueOf<S[name]>
} & { readonly [name in keyof S as S[name] extends OptionalField ? name : never]?: string }

export type DocumentOf<M extends Model> = RecordOf<M['fields']>

export type Operation = 'list' | 'read' | 'create' | 'replace' | 'remove'

/**
 * Who may do an operation besides administrators, who may do all that is supported: everybody who is signed in,
 * publishers, or the user whose id the document has. 'unsupported' means that no caller may.
 */
export type Grant = 'everybody' | 'publisher' | 'owner' | 'admin' | 'unsupported'

export type Access = { readonly [operation in Operation]: Grant }

/** Dotted paths; `:desc` for descending order. `+` keeps a value for conditions that then read no document. */
export type Index = readonly string[]

export interface Model<N extends string = string, S extends Shape = Shape, A extends Access = Access> {
  readonly name: N
  readonly description: string
  readonly fields: S
  readonly extras: Extras
  readonly access: A
  /** Paths that `q` looks at; empty where the model has no search. */
  readonly search: readonly string[]
  /** Paths whose words `search` looks at: with `trigrams`, in an index. Without them the model cannot be searched so. */
  readonly words?: readonly string[]
  readonly indexes: readonly Index[]
  /** A path whose values no two documents share. */
  readonly unique?: string
  /** Paths with an index of their own, for finding documents by their texts. */
  readonly sought?: readonly string[]
  /** Optional dates that few documents have: indexes of those alone, which cost the others nothing. */
  readonly sparse?: readonly string[]
  /**
   * A sought path whose value, in any case, no document may get that another one has. Documents from before there was this
   * rule may share one, so no index can hold it.
   */
  readonly distinct?: string
  /** Whether the document belongs to the user with the same id and goes with it. */
  readonly owned?: true
  /** Whether the only search path, and the words, have a trigram index, so that a search does not read every document. */
  readonly trigrams?: true
  /** Whether the number of documents of each `status` is kept at hand. */
  readonly counted?: true
  /** Indexed paths for whose values the number of active documents is kept at hand. */
  readonly tallied?: readonly string[]
  /** A generated date: the number of documents is kept at hand for each hour of it, in UTC. */
  readonly timeline?: string
  /** The id of the only document there may be. */
  readonly singleton?: string
  /** The name of the model whose incomplete drafts these are; see incomplete.ts. */
  readonly draftsOf?: string
  /** Whether documents are computed for each request and not stored. */
  readonly computed?: true
}

/** Declares a model. The call only fixes the types. */
export const model = <const N extends string, const S extends Shape, const A extends Access>(
  declaration: Model<N, S, A>,
): Model<N, S, A> => declaration

/** A document belongs to the user with the same id, and no list or search shows it to others. */
export const OWNED = {
  extras: 'drop',
  access: { list: 'admin', read: 'owner', create: 'owner', replace: 'owner', remove: 'owner' },
  search: [],
  indexes: [],
  owned: true,
} as const

/** Kinds of fields whose values hold items or members that are declared themselves. */
const NESTING_KINDS: ReadonlySet<Field['kind']> = new Set(['list', 'record', 'embedded', 'nullable'])

type NamedField = readonly [name: string, field: Field]

/** The fields of a declared shape, listed once: every document is checked by them. */
export function fieldsOf(shape: Shape): readonly NamedField[] {
  return listed(shape).all
}

/** Those of them that may hold lists or copies. */
export function nestingFields(shape: Shape): readonly NamedField[] {
  return listed(shape).nesting
}

interface ListedShape {
  readonly all: readonly NamedField[]
  readonly nesting: readonly NamedField[]
}

const listedShapes = new WeakMap<Shape, ListedShape>()

function listed(shape: Shape): ListedShape {
  const known = listedShapes.get(shape)
  if (known !== undefined) return known
  const all = Object.entries(shape)
  const made = { all, nesting: all.filter(([, { kind }]) => NESTING_KINDS.has(kind)) }
  listedShapes.set(shape, made)
  return made
}

/** Dotted paths of the fields whose stored values are dates in UTC with milliseconds. Embedded copies are not. */
export function dateFields(shape: Shape, prefix = ''): ReadonlySet<string> {
  const found = new Set<string>()
  for (const [name, field] of Object.entries(shape)) collectDates(field, prefix + name, found)
  return found
}

function collectDates(field: Field, path: string, found: Set<string>): void {
  switch (field.kind) {
    case 'date':
      found.add(path)
      return
    case 'generated':
      if (field.as === 'date') found.add(path)
      return
    case 'nullable':
    case 'optional':
    case 'list':
      return collectDates(field.of, path, found)
    case 'record':
      for (const inner of dateFields(field.fields, `${path}.`)) found.add(inner)
      return
    case 'map':
      for (const key of field.keys) collectDates(field.of, `${path}.${key}`, found)
      return
    default:
      return
  }
}
