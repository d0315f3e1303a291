-- Dropzero for Wireshark: docs/protocol.md says what the fields mean.
-- `dropzero trace dissector > ~/.local/lib/wireshark/plugins/dropzero.lua` installs it.

local dropzero = Proto("dropzero", "Dropzero")

local PORT = 0xD020
local VERSION = 3
local HEADER, COLUMN, DATA = 24, 9, 128
local NO_BLOCK = 0xFFFFFFFF
local ASSIGNED = 0x80000000
local EXPONENT_BIAS, NOT_FINITE = 126, 255
local CONTRIBUTION, RESULT, MISSING, EPOCH, CONFLICT, QUERY, WAITING = 0, 1, 2, 3, 4, 5, 6

local KINDS = {
  [CONTRIBUTION] = "contribution", [RESULT] = "result", [MISSING] = "missing", [EPOCH] = "epoch", [CONFLICT] = "conflict",
  [QUERY] = "query", [WAITING] = "waiting"
}
local OPERATIONS = { [0] = "sum", [1] = "maximum", [2] = "minimum" }
local WIDTHS = { [0] = "32 bits", [1] = "16 bits", [2] = "8 bits" }
-- What `workers` means in a packet of each kind.
local WORKERS = {
  [RESULT] = "contributed", [MISSING] = "awaited", [EPOCH] = "members", [CONFLICT] = "made another call",
  [WAITING] = "awaited here"
}

local field = {
  version = ProtoField.uint8("dropzero.version", "Version", base.DEC, nil, 0xE0),
  marked = ProtoField.bool("dropzero.marked", "Marked", 8, nil, 0x10, "It met a long queue, or the sender's last result did"),
  congested = ProtoField.bool("dropzero.congested", "Congested", 8, nil, 0x08, "Some contribution to the round was marked"),
  kind = ProtoField.uint8("dropzero.kind", "Kind", base.DEC, KINDS, 0x07),
  mask = ProtoField.uint8("dropzero.mask", "Mask of data columns", base.HEX),
  columns = ProtoField.uint8("dropzero.columns", "Column descriptors", base.DEC, nil, 0xF0),
  operation = ProtoField.uint8("dropzero.operation", "Operation", base.DEC, OPERATIONS, 0x0C),
  width = ProtoField.uint8("dropzero.width", "Width of elements", base.DEC, WIDTHS, 0x03),
  declines = ProtoField.bool("dropzero.declines", "Needs no data", 8, nil, 0x80),
  worker = ProtoField.uint8("dropzero.worker", "Worker", base.DEC, nil, 0x7F),
  job = ProtoField.uint16("dropzero.job", "Job"),
  lane = ProtoField.uint16("dropzero.lane", "Lane"),
  epoch = ProtoField.uint32("dropzero.epoch", "Epoch"),
  round = ProtoField.uint32("dropzero.round", "Round"),
  workers = ProtoField.uint32("dropzero.workers", "Workers", base.HEX),
  call = ProtoField.uint32("dropzero.call", "Digest of the call", base.HEX),
  secret = ProtoField.uint32("dropzero.secret", "Secret", base.HEX),
  block = ProtoField.uint32("dropzero.block", "Block"),
  next = ProtoField.uint32("dropzero.next", "Next block"),
  chunk = ProtoField.uint32("dropzero.chunk", "Assigned chunk"),
  exponent = ProtoField.int16("dropzero.exponent", "Exponent of the next block"),
  data = ProtoField.bytes("dropzero.data", "Data column"),
  element = ProtoField.int32("dropzero.element", "Element"),
  repeats = ProtoField.framenum("dropzero.repeats", "Repeats", base.NONE, frametype.RETRANS_PREV),
}
dropzero.fields = field

local expert = {
  malformed = ProtoExpert.new("dropzero.malformed", "Malformed", expert.group.MALFORMED, expert.severity.ERROR),
  version = ProtoExpert.new("dropzero.other_version", "Another version", expert.group.PROTOCOL, expert.severity.WARN),
  conflict = ProtoExpert.new("dropzero.conflict", "Workers made different calls", expert.group.PROTOCOL,
    expert.severity.WARN),
  missing = ProtoExpert.new("dropzero.missing", "The switch waits for workers", expert.group.SEQUENCE,
    expert.severity.NOTE),
  epoch = ProtoExpert.new("dropzero.new_epoch", "The job is in another epoch", expert.group.SEQUENCE,
    expert.severity.NOTE),
  again = ProtoExpert.new("dropzero.again", "Sent again", expert.group.SEQUENCE, expert.severity.NOTE),
  marked = ProtoExpert.new("dropzero.queue", "Met a long queue", expert.group.SEQUENCE, expert.severity.CHAT),
  cut = ProtoExpert.new("dropzero.cut", "The capture was limited", expert.group.UNDECODED, expert.severity.CHAT),
  not_finite = ProtoExpert.new("dropzero.not_finite", "A block holds a NaN or an infinity", expert.group.PROTOCOL,
    expert.severity.NOTE),
}
dropzero.experts = { expert.malformed, expert.version, expert.conflict, expert.missing, expert.epoch, expert.again,
  expert.marked, expert.cut, expert.not_finite }

local ecn = Field.new("ip.dsfield.ecn")
local CE = 3

-- The frame in which a packet was first seen, by what makes two packets the same; and what each frame repeats.
local first_seen, repeats = {}, {}

function dropzero.init()
  first_seen, repeats = {}, {}
end

local function listed(bitmap)
  local ranks = {}
  for rank = 0, 31 do
    if bit.band(bitmap, bit.lshift(1, rank)) ~= 0 then ranks[#ranks + 1] = rank end
  end
  return #ranks > 0 and table.concat(ranks, ", ") or "none"
end

local function find_repetition(packet, key)
  local number = packet.number
  if not packet.visited then
    if first_seen[key] then repeats[number] = first_seen[key] else first_seen[key] = number end
  end
  return repeats[number]
end

local function add_column(tree, buffer, index)
  local block, next_block = buffer(0, 4):uint(), buffer(4, 4):uint()
  local exponent = buffer(8, 1):uint()
  local about = block == NO_BLOCK and "no block" or "block " .. block
  local announces
  if next_block == NO_BLOCK then
    announces = "announces none"
  elseif next_block >= ASSIGNED then
    announces = "is assigned chunk " .. next_block - ASSIGNED
  else
    announces = "announces block " .. next_block
  end
  local column = tree:add(dropzero, buffer, ("Column %d: %s, %s"):format(index, about, announces))
  column:add(field.block, buffer(0, 4)):append_text(block == NO_BLOCK and " (none)" or "")
  if next_block >= ASSIGNED and next_block ~= NO_BLOCK then
    column:add(field.chunk, buffer(4, 4), next_block - ASSIGNED)
  else
    column:add(field.next, buffer(4, 4)):append_text(next_block == NO_BLOCK and " (none)" or "")
    local item = column:add(field.exponent, buffer(8, 1), exponent - EXPONENT_BIAS)
    if exponent == NOT_FINITE and next_block ~= NO_BLOCK then item:add_proto_expert_info(expert.not_finite) end
  end
end

local function add_data(tree, buffer, index, bits)
  -- A list of packets needs none of the 256 elements.
  if not (tree.visible or tree:referenced(field.data) or tree:referenced(field.element)) then return end
  local column = tree:add(field.data, buffer)
  column:set_text(("Data column %d: %d elements of %d bits"):format(index, DATA * 8 / bits, bits))
  for at = 0, DATA - 1, bits / 8 do
    local element = buffer(at, bits / 8)
    column:add(field.element, element, element:int())
  end
end

function dropzero.dissector(buffer, packet, root)
  -- The length on the wire; a limited capture has fewer bytes.
  local length, captured = buffer:reported_len(), buffer:len()
  -- An ICMP error quotes the beginning of a packet, which is neither whole nor sent again.
  if length < HEADER or packet.in_error_pkt then return 0 end
  if captured < HEADER then
    packet.cols.protocol = "Dropzero"
    root:add(dropzero, buffer()):add_proto_expert_info(expert.cut)
    return captured
  end
  packet.cols.protocol = "Dropzero"
  local tree = root:add(dropzero, buffer())
  local version, kind = buffer(0, 1):bitfield(0, 3), buffer(0, 1):bitfield(5, 3)
  tree:add(field.version, buffer(0, 1))
  if version ~= VERSION then
    tree:add_proto_expert_info(expert.version, ("version %d, where this dissector knows %d"):format(version, VERSION))
    packet.cols.info = ("version %d"):format(version)
    return length
  end
  local marked = tree:add(field.marked, buffer(0, 1))
  tree:add(field.congested, buffer(0, 1))
  tree:add(field.kind, buffer(0, 1))
  local mask, columns, width = buffer(1, 1):uint(), buffer(2, 1):bitfield(0, 4), buffer(2, 1):bitfield(6, 2)
  tree:add(field.mask, buffer(1, 1))
  tree:add(field.columns, buffer(2, 1))
  tree:add(field.operation, buffer(2, 1))
  tree:add(field.width, buffer(2, 1))
  local worker, job, lane = buffer(3, 1):bitfield(1, 7), buffer(4, 2):uint(), buffer(6, 2):uint()
  local epoch, round, workers = buffer(8, 4):uint(), buffer(12, 4):uint(), buffer(16, 4):uint()
  tree:add(field.declines, buffer(3, 1))
  tree:add(field.worker, buffer(3, 1))
  tree:add(field.job, buffer(4, 2))
  tree:add(field.lane, buffer(6, 2))
  tree:add(field.epoch, buffer(8, 4))
  tree:add(field.round, buffer(12, 4))
  local about = tree:add(WORKERS[kind] and field.workers or field.call, buffer(16, 4))
  if WORKERS[kind] then about:append_text((" (%s: %s)"):format(WORKERS[kind], listed(workers))) end
  tree:add(field.secret, buffer(20, 4))

  local present = {}
  for index = 0, 7 do
    if bit.band(mask, bit.lshift(1, index)) ~= 0 then present[#present + 1] = index end
  end
  local expected = HEADER + columns * COLUMN + #present * DATA
  if not KINDS[kind] or width > 2 or length ~= expected then
    local why = not KINDS[kind] and "no packet is of this kind" or width > 2 and "no elements have this width"
      or ("%d bytes, where %d columns with %d of data take %d"):format(length, columns, #present, expected)
    tree:add_proto_expert_info(expert.malformed, why)
    packet.cols.info = "malformed: " .. why
    return length
  end
  local bits = 32 / 2 ^ width
  for index = 0, columns - 1 do
    local at = HEADER + index * COLUMN
    if at + COLUMN <= captured then add_column(tree, buffer(at, COLUMN), index) end
  end
  for place, index in ipairs(present) do
    local at = HEADER + columns * COLUMN + (place - 1) * DATA
    if at + DATA <= captured then add_data(tree, buffer(at, DATA), index, bits) end
  end
  if captured < length then
    tree:add_proto_expert_info(expert.cut, ("%d of its %d bytes were not captured"):format(length - captured, length))
  end

  local info = ("%s of worker %d, job %d, lane %d, epoch %d, round %d"):format(KINDS[kind], worker, job, lane, epoch, round)
  if WORKERS[kind] then
    info = ("%s for worker %d, job %d, lane %d, epoch %d, round %d, %s: %s"):format(
      KINDS[kind], worker, job, lane, epoch, round, WORKERS[kind], listed(workers))
  end
  if #present > 0 then info = info .. (", %d elements"):format(#present * DATA * 8 / bits) end
  if kind == CONTRIBUTION or kind == RESULT or kind == QUERY then
    -- A long result comes in two packets, with other columns.
    local key = table.concat({ kind, job, epoch, lane, round, worker, mask, columns, tostring(packet.src), tostring(packet.dst) }, " ")
    local earlier = find_repetition(packet, key)
    if earlier then
      tree:add(field.repeats, earlier):set_generated()
      tree:add_proto_expert_info(expert.again, "sent first in frame " .. earlier)
      info = info .. (" [repeats frame %d]"):format(earlier)
    end
  elseif kind == MISSING then
    local who = workers == 0 and "no worker" or listed(workers)
    tree:add_proto_expert_info(expert.missing, "the switch waits for " .. who)
  elseif kind == WAITING then
    tree:add_proto_expert_info(expert.missing, "the switch waits for workers of other switches")
  elseif kind == EPOCH then
    tree:add_proto_expert_info(expert.epoch)
  elseif kind == CONFLICT then
    tree:add_proto_expert_info(expert.conflict, "another call was made by " .. listed(workers))
  end
  -- A queue marks the IP header; a sender passes the mark of its last result on in this one.
  local congestion = ecn()
  if buffer(0, 1):bitfield(3, 1) == 1 or congestion and congestion.value == CE then marked:add_proto_expert_info(expert.marked) end
  packet.cols.info = info
  return length
end

DissectorTable.get("udp.port"):add(PORT, dropzero)
